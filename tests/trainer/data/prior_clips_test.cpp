#include "trainer/data/prior_clips.h"

#include "tests/trainer/data/numbered_source.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace dailies::trainer {
namespace {

/// Clip → how often an epoch has it: own ones as "own 3", prior ones as "prior 3".
std::map<std::string, int> epochOf(std::int64_t own, std::int64_t prior, double share) {
    NumberedSource ownClips({own}), priorClips({prior});
    WithPriorClips mixed(ownClips, priorClips, share);
    std::map<std::string, int> counts;
    std::int64_t ofPrior = 0;
    const auto firstPrior = mixed.size() - std::llround(static_cast<double>(mixed.size()) * share);
    for (std::int64_t index = 0; index < mixed.size(); ++index) {
        const bool isPrior = index >= firstPrior;
        ofPrior += isPrior;
        ++counts[(isPrior ? "prior " : "own ") + mixed.example(index).caption];
        EXPECT_EQ(mixed.identity(index), "clip " + mixed.example(index).caption);
    }
    EXPECT_NEAR(static_cast<double>(ofPrior) / static_cast<double>(mixed.size()), share, 0.02);
    return counts;
}

void expectAll(const std::map<std::string, int>& counts, const std::string& kind, int clips, int least,
               int most) {
    for (int i = 0; i < clips; ++i) {
        const auto found = counts.find(kind + " " + std::to_string(i));
        ASSERT_NE(found, counts.end()) << kind << " " << i;
        EXPECT_GE(found->second, least);
        EXPECT_LE(found->second, most);
    }
}

TEST(PriorClips, ComeAsOftenAsOthersAndEveryClipOfBothIsTaken) {
    const auto few = epochOf(/*own=*/20, /*prior=*/7, 0.5);
    expectAll(few, "own", 20, 1, 1);
    expectAll(few, "prior", 7, 2, 3);
    const auto many = epochOf(/*own=*/20, /*prior=*/90, 0.5);
    expectAll(many, "own", 20, 5, 5);
    expectAll(many, "prior", 90, 1, 2);
    const auto quarter = epochOf(/*own=*/30, /*prior=*/10, 0.25);
    expectAll(quarter, "own", 30, 1, 1);
    expectAll(quarter, "prior", 10, 1, 1);
}

}  // namespace
}  // namespace dailies::trainer
