#include "core/planner/layout_search.h"

#include "core/base/byte_units.h"
#include "core/base/error.h"
#include "tests/core/planner/latent_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace dailies::planner {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// A model of 1.8 billion weights on two nodes of four H100.
LayoutQuestion question() {
    auto config = latentModel(2048, 24, 8, 32);
    const auto data = DataShape::expected(config);
    return {.config = std::move(config),
            .data = data,
            .machines = {2, 4},
            .rates = publishedRates("h100", true).value(),
            .memory = {.ranksPerNode = 4, .gpuBytes = gpuMemory("h100"), .gpuName = "h100"}};
}

TEST(LayoutCandidates, ShowWhatFitsFirstAndTheFastestFirst) {
    const auto choices = searchLayouts(question());
    ASSERT_GT(choices.shown.size(), 5u);
    EXPECT_GT(choices.considered, choices.shown.size());
    for (std::size_t i = 1; i < choices.shown.size(); ++i) {
        const auto &before = choices.shown[i - 1], &after = choices.shown[i];
        EXPECT_GE(before.fits(), after.fits());
        if (before.fits() == after.fits()) {
            EXPECT_LE(before.speed.seconds(), after.speed.seconds());
        }
    }
    EXPECT_TRUE(choices.shown.front().onParetoFront);
}

TEST(LayoutCandidates, OnTheFrontNoneIsFasterWithLessMemory) {
    const auto choices = searchLayouts(question());
    for (const auto& one : choices.shown) {
        for (const auto& other : choices.shown) {
            if (!one.onParetoFront || !other.fits()) continue;
            EXPECT_FALSE(other.bytes < one.bytes && other.speed.seconds() < one.speed.seconds())
                << other.layout.text() << " before " << one.layout.text();
        }
    }
    EXPECT_GT(std::ranges::count_if(choices.shown, &LayoutCandidate::onParetoFront), 2);
}

TEST(LayoutCandidates, SayThatALayoutDoesNotFitAndTheNearestThatDoes) {
    const auto asked = question();
    const auto choices = searchLayouts(asked);
    ASSERT_TRUE(choices.own);
    EXPECT_EQ(choices.shown[*choices.own].verdict, FitVerdict::tooLarge) << "four clips at once";
    EXPECT_THAT(layoutAdvice(choices),
                AllOf(HasSubstr("does not fit"), HasSubstr("of the 79.6 GiB that it has"),
                      HasSubstr("The nearest that fits: ")));
}

TEST(LayoutCandidates, LeaveMatricesWholeForMuon) {
    auto asked = question();
    asked.config.optimizer.name = "muon";
    const auto choices = searchLayouts(asked);
    ASSERT_FALSE(choices.shown.empty());
    for (const auto& choice : choices.shown) {
        EXPECT_EQ(choice.layout.shard, "none");
        EXPECT_EQ(choice.layout.tp, 1);
    }
}

TEST(LayoutCandidates, SayWhichLayoutIsFasterAndWhatWouldChange) {
    auto asked = question();
    asked.config.layout.tp = 4;
    asked.config.model.recompute = "full";
    asked.config.optimizer.accumulate = 16;
    const auto choices = searchLayouts(asked);
    ASSERT_TRUE(choices.own);
    EXPECT_THAT(layoutAdvice(choices),
                AllOf(HasSubstr("The layout fits"), HasSubstr("% faster would be layout.tp 1")));
    asked.config = choices.shown.front().layout.applyTo(asked.config);
    EXPECT_THAT(layoutAdvice(searchLayouts(asked)), HasSubstr("None is faster."));
}

TEST(LayoutCandidates, OfARunThatDoesNotDivideIntoItsRanksSayWhy) {
    auto asked = question();
    asked.config.layout.cp = 3;
    const auto choices = searchLayouts(asked);
    EXPECT_FALSE(choices.own);
    EXPECT_THAT(layoutAdvice(choices), AllOf(HasSubstr("layout.cp"), HasSubstr("The fastest that fits is")));
}

TEST(LayoutCandidates, WhereNothingFitsSayWhatWouldHelp) {
    auto asked = question();
    asked.memory.gpuBytes = kGibibyte;
    EXPECT_THAT(layoutAdvice(searchLayouts(asked)), HasSubstr("take more nodes"));
}

TEST(LayoutCandidates, WithoutAKnownMemoryNothingIsRefused) {
    auto asked = question();
    asked.memory = {};
    const auto choices = searchLayouts(asked);
    EXPECT_TRUE(choices.shown.front().fits());
    EXPECT_THAT(layoutAdvice(choices), Not(HasSubstr("does not fit")));
}

TEST(LayoutCandidates, CostWhatTheirStepsTakeOnAllGpus) {
    const auto choices = searchLayouts(question());
    const auto& best = choices.shown.front();
    EXPECT_DOUBLE_EQ(best.hours(1000), best.speed.seconds() * 1000 / 3600);
    EXPECT_DOUBLE_EQ(best.gpuHours(1000), 8 * best.hours(1000));
}

}  // namespace
}  // namespace dailies::planner
