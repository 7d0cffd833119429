#include "core/planner/layouts.h"

#include "core/base/error.h"
#include "core/config/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace dailies::planner {
namespace {

using testing::Contains;
using testing::Not;

/// Eight heads and 64 tokens a clip.
config::TrainConfig small() {
    return config::resolve(
        {{"model", {{"width", 64}, {"depth", 4}, {"heads", 8}}}, {"data", {{"batch_size", 16}}}});
}

bool isOffered(const std::vector<Layout>& layouts, const Layout& layout) {
    return std::ranges::find(layouts, layout) != layouts.end();
}

TEST(Layouts, AreAllThatTheModelTheTokensAndTheBatchDivideInto) {
    const auto config = small();
    const Machines machines{2, 4};
    const auto layouts = layoutsOf(config, machines);
    for (const auto& layout : layouts) {
        EXPECT_EQ(layout.ranks(), 8) << layout.text();
        EXPECT_LE(layout.tp, 4) << "no tensor parallelism across nodes";
        EXPECT_NO_THROW(config::resolve(config::toJson(layout.in(config)))) << layout.text();
        EXPECT_EQ(layoutIn(layout.in(config), machines), layout) << layout.text();
    }
    EXPECT_TRUE(isOffered(layouts, {.dp = 8}));
    EXPECT_TRUE(isOffered(layouts, {.dp = 2, .ulysses = 2, .tp = 2, .shard = "zero3", .shardRanks = 4}));
    EXPECT_TRUE(isOffered(layouts, {.dp = 8, .shard = "zero2", .shardRanks = 4})) << "within a node";
    EXPECT_TRUE(isOffered(layouts, {.ring = 4, .ulysses = 2, .recompute = "full", .microBatches = 16}));
    EXPECT_FALSE(isOffered(layouts, {.dp = 8, .microBatches = 4})) << "two clips a rank";
}

TEST(Layouts, OfAModelThatHasThreeHeadsLeaveThemWhole) {
    auto config = small();
    config.model.heads = 3;
    config.model.width = 96;
    for (const auto& layout : layoutsOf(config, {1, 4})) {
        EXPECT_EQ(layout.tp, 1);
        EXPECT_EQ(layout.ulysses, 1);
    }
}

TEST(Layouts, OfPackedClipsAreDataParallel) {
    auto config = small();
    config.data.packing = true;
    const auto layouts = layoutsOf(config, {1, 4});
    EXPECT_FALSE(layouts.empty());
    for (const auto& layout : layouts) {
        EXPECT_EQ(layout.cp() * layout.tp, 1);
        EXPECT_EQ(layout.microBatches, 1);
    }
}

TEST(Layouts, HaveSeveralStagesOnlyWhereTheyAreAskedFor) {
    const auto config = small();
    const auto stages = [](const std::vector<Layout>& layouts) {
        std::vector<std::int64_t> found;
        for (const auto& layout : layouts) found.push_back(layout.pp);
        return found;
    };
    EXPECT_THAT(stages(layoutsOf(config, {1, 8}, false)), Not(Contains(2)));
    const auto with = stages(layoutsOf(config, {1, 8}, true));
    EXPECT_THAT(with, Contains(4));
    EXPECT_THAT(with, Not(Contains(8))) << "four blocks";
}

TEST(Layouts, SayTheKeysThatMakeThem) {
    const Layout layout{.dp = 2,
                        .ring = 2,
                        .ulysses = 2,
                        .shard = "zero3",
                        .shardRanks = 4,
                        .recompute = "full",
                        .microBatches = 8};
    EXPECT_EQ(layout.text(),
              "dp 2 × cp 4 (Ulysses 2, ring 2), zero3 over 4 ranks, recompute full, 8 micro-batches");
    auto json = config::toJson(small());
    for (const auto& [key, value] : layout.settings()) config::setByKey(json, key, value);
    EXPECT_EQ(layoutIn(config::resolve(json), {1, 8}), layout);
    EXPECT_EQ(config::toJson(layout.in(small())), json) << "one way as the other";
}

TEST(Layouts, OfAPipelineHoldAStagesWeightsAndWhatWaitsForItsBackwardPass) {
    const auto config = small();
    const auto data = DataShape::expected(config);
    const auto part = [&](const Layout& layout, const std::string& name) {
        for (const auto& each : layoutMemory(config, data, layout, true).gpu)
            if (each.name == name) return each.bytes;
        return -1.0;
    };
    const Layout whole{.dp = 2, .microBatches = 8}, two{.dp = 2, .pp = 2, .microBatches = 8};
    EXPECT_LT(part(two, "weights"), part(whole, "weights"));
    EXPECT_GT(part(two, "weights"), part(whole, "weights") / 2) << "the ends are not divided";
    // half of the blocks, twice
    EXPECT_NEAR(part(two, "activations") / part(whole, "activations"), 1, 0.2);
    EXPECT_EQ(layoutMemory(config, data, whole, true).gpuBytes(),
              rankMemory(whole.in(config), data, {.ranks = 2, .gpu = true}).gpuBytes());
}

}  // namespace
}  // namespace dailies::planner
