#include "ui/theme/run_colors.h"

#include "core/base/ids.h"

#include <gtest/gtest.h>

#include <set>

namespace dailies::ui {
namespace {

TEST(RunColors, TwelveRunsOfOneSweepAllDiffer) {
    std::vector<std::string> ids;
    for (int i = 0; i < RunColors::kCount; ++i) {
        ids.push_back(newId());
    }
    RunColors colors;
    colors.assign(ids);
    std::set<QString> seen;
    for (const auto& id : ids) {
        seen.insert(colors.color(id).name());
    }
    EXPECT_EQ(seen.size(), ids.size());
}

TEST(RunColors, AreTheSameInTheNextSessionAndWhenRunsAreAdded) {
    std::vector<std::string> ids;
    for (int i = 0; i < 30; ++i) {
        ids.push_back(newId());
    }
    RunColors first;
    first.assign({ids.begin(), ids.begin() + 20});
    RunColors second;
    second.assign(ids);
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(first.color(ids[i]), second.color(ids[i])) << i;
    }
}

}  // namespace
}  // namespace dailies::ui
