#include "core/planner/layouts.h"

#include "core/base/error.h"
#include "core/config/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace dailies::planner {
namespace {

using testing::AnyOf;
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
        EXPECT_NO_THROW(config::resolve(config::toJson(layout.applyTo(config)))) << layout.text();
        EXPECT_EQ(layoutFromConfig(layout.applyTo(config), machines), layout) << layout.text();
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

TEST(Layouts, OfPipelinesHaveAsManyStagesAsBlocksAtMostAndDivideMomentsOnly) {
    std::vector<std::int64_t> stages;
    bool interleaved = false;
    for (const auto& layout : layoutsOf(small(), {1, 8})) {
        stages.push_back(layout.pp);
        if (layout.pp == 1) continue;
        EXPECT_THAT(layout.shard, AnyOf("none", "zero1"));
        if (layout.ppChunks == 1) continue;
        interleaved = true;
        EXPECT_EQ(layout.microBatches % layout.pp, 0);
        EXPECT_EQ(4 % (layout.pp * layout.ppChunks), 0) << "four blocks";
    }
    EXPECT_THAT(stages, Contains(4));
    EXPECT_THAT(stages, Not(Contains(8))) << "four blocks";
    EXPECT_TRUE(interleaved);
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
    const Layout stages{
        .dp = 2, .pp = 2, .ppChunks = 2, .shard = "zero1", .shardRanks = 2, .microBatches = 4};
    EXPECT_EQ(stages.text(), "pp 2 (2 chunks) × dp 2, zero1 over 2 ranks, 4 micro-batches");
    for (const auto* each : {&layout, &stages}) {
        auto json = config::toJson(small());
        for (const auto& [key, value] : each->settings()) config::setByKey(json, key, value);
        EXPECT_EQ(layoutFromConfig(config::resolve(json), {1, each->ranks()}), *each);
        EXPECT_EQ(config::toJson(each->applyTo(small())), json) << "one way as the other";
    }
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
              rankMemory(whole.applyTo(config), data, {.ranks = 2, .gpu = true}).gpuBytes());
}

}  // namespace
}  // namespace dailies::planner
