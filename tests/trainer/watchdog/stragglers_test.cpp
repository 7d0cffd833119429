#include "trainer/watchdog/stragglers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::trainer {
namespace {

std::vector<Stragglers::Finding> window(Stragglers& stragglers, const std::vector<double>& busy) {
    std::vector<Stragglers::Finding> found;
    for (std::int64_t step = 0; step < Stragglers::kStepsPerWindow; ++step)
        for (const auto& finding : stragglers.add(busy)) found.push_back(finding);
    return found;
}

TEST(Stragglers, AreSaidOnceAfterThreeWindowsAndOnceWhenTheyCatchUp) {
    Stragglers stragglers(4, 1.3);
    EXPECT_TRUE(window(stragglers, {1, 1, 1.5, 1}).empty());
    EXPECT_TRUE(window(stragglers, {1, 1, 1.5, 1}).empty());
    const auto found = window(stragglers, {1, 1, 1.5, 1});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].rank, 2);
    EXPECT_NEAR(found[0].times, 1.5, 1e-9);
    EXPECT_THAT(toText(found[0], "n3"), testing::HasSubstr("Rank 2 on n3 takes 1.50 times as long"));
    EXPECT_TRUE(window(stragglers, {1, 1, 1.5, 1}).empty());
    const auto better = window(stragglers, {1, 1, 1.1, 1});
    ASSERT_EQ(better.size(), 1u);
    EXPECT_TRUE(better[0].caughtUp);
    EXPECT_NEAR(*stragglers.slowest(), 1.1, 1e-9);
}

TEST(Stragglers, ASlowStepNowAndThenIsNone) {
    Stragglers stragglers(3, 1.3);
    for (int i = 0; i < 10; ++i) {
        EXPECT_TRUE(window(stragglers, {1, 2, 1}).empty());
        EXPECT_TRUE(window(stragglers, {1, 1, 1}).empty());
    }
}

TEST(Stragglers, OfTwoRanksTheSlowerIsFound) {
    Stragglers stragglers(2, 1.3);
    window(stragglers, {1, 3});
    window(stragglers, {1, 3});
    const auto found = window(stragglers, {1, 3});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].rank, 1);
}

TEST(Stragglers, AreNeverFoundWithoutAFactor) {
    Stragglers stragglers(2, 0);
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(window(stragglers, {1, 9}).empty());
}

}  // namespace
}  // namespace dailies::trainer
