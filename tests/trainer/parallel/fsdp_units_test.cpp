#include "core/base/error.h"
#include "tests/trainer/models/families.h"
#include "tests/trainer/parallel/thread_ranks.h"
#include "tests/trainer/peak_allocation.h"
#include "trainer/optim/master_weights.h"
#include "trainer/optim/optimizer.h"
#include "trainer/parallel/parallel_dims.h"
#include "trainer/parallel/sharded_params.h"
#include "trainer/tensors/precision.h"

#include <gtest/gtest.h>
#include <torch/types.h>

namespace dailies::trainer {
namespace {

constexpr std::int64_t kDepth = 8;

/// Of many blocks, so that one of them is little beside all.
ModelShape deepShape(const std::string& recompute = "none") {
    auto shape = variants().front().shape;
    shape.model.depth = kDepth;
    shape.model.recompute = recompute;
    return shape;
}

/// Everything that a rank trains with, its weights in units.
struct DividedTraining {
    DividedTraining(const ModelShape& shape, ProcessGroup& world, const Json& layout, bool inBf16 = false)
        : bf16(inBf16),
          model(makeModel(shape, at::kCPU)),
          mesh(configWith(layout), ranksOf(world)),
          groups(mesh, world),
          weights(liveWeights(*model), inBf16 ? bf16Copies(model->weightsOnMeta()) : model->weightsOnMeta(),
                  groups.shardingGroup(), at::kCPU),
          gradients(weights.all(), weights.layout(), sum()),
          optimizer(makeOptimizer(weights.own(), config::TrainConfig::Optimizer{}, weights.ranges())) {}

    GradientReduceOptions sum() {
        auto sum = groups.gradientReduceOptions(/*persistentBuckets=*/false, /*overlapReduce=*/true);
        sum.onGradientReady = [this](std::size_t bucket) { weights.units()->release(bucket); };
        return sum;
    }

    /// Forward and backward of a sum over clips and outputs.
    void pass(const ModelInput& input) {
        weights.units()->beginPass();
        at::Tensor sum;
        {
            const AutocastScope autocast(at::kCPU, bf16 ? "bf16" : "fp32");
            sum = model->forward(weights.all(), input).front().square().sum();
        }
        sum.backward();
        weights.units()->endPass();
    }
    /// A step of so many equal passes.
    void step(const ModelInput& input, int passes = 1) {
        gradients.clear();
        for (int i = 0; i < passes; ++i) {
            gradients.beginPass(i + 1 == passes);
            pass(input);
        }
        gradients.finish();
        optimizer->step(gradients.own(), 0.01);
    }

    bool bf16;
    std::unique_ptr<Model> model;
    Mesh mesh;
    ParallelDims groups;
    ShardedParams weights;
    Gradients gradients;
    std::unique_ptr<Optimizer> optimizer;
};

/// Bytes of the unit outside the blocks, of one block, and of all of them, as `type` elements.
struct UnitBytes {
    double outside = 0, block = 0, all = 0;

    explicit UnitBytes(const FlatLayout& layout, const FsdpUnitPlan& division, bool float32 = false) {
        for (std::size_t i = 0; i < division.units.size(); ++i)
            for (const auto bucket : division.units[i].buckets) {
                const auto bytes =
                    static_cast<double>(layout.bucketElements(bucket)) *
                    (float32 ? 4.0 : static_cast<double>(at::elementSize(division.typesOf[bucket])));
                all += bytes;
                if (i == 0) outside += bytes;
                if (i == 1) block += bytes;
            }
    }
};

TEST(FsdpUnits, AreEachBlockAndWhatLiesOutsideOfThem) {
    Params weights;
    for (const auto* name : {"patch.weight", "blocks.0.qkv.weight", "blocks.0.norm", "blocks.1.qkv.weight",
                             "blocks.10.norm", "final.bias"})
        weights.add(name, at::ones({300}));
    const auto division = FsdpUnitPlan(bf16Copies(weights));
    ASSERT_EQ(division.units.size(), 4U);
    EXPECT_EQ(division.units[0].block, "");
    EXPECT_EQ(division.units[1].block, "blocks.0");
    EXPECT_EQ(division.units[2].block, "blocks.1");
    EXPECT_EQ(division.units[3].block, "blocks.10");
    EXPECT_EQ(division.bucketOf, (std::vector<std::size_t>{0, 1, 2, 3, 4, 0}));
    EXPECT_EQ(division.typesOf[1], at::kBFloat16);
    EXPECT_EQ(division.typesOf[2], at::kFloat) << "norms compute in float32";
    const FlatLayout layout(weights, 2, division.bucketOf);
    EXPECT_EQ(layout.bucketElements(0), 1024) << "two weights that begin at multiples of 256";
    EXPECT_EQ(layout.bucketElements(1), 512);
    EXPECT_EQ(layout.shardsOf(0).size() + layout.shardsOf(1).size(), 5U + 5U);
}

TEST(FsdpUnits, AreDrawnWithNoMoreThanOneWholeWeightBesideThem) {
    onRanks(2, [](ProcessGroup& world) {
        const ParallelDims groups(Mesh(configWith({{"shard", "zero3"}}), ranksOf(world)), world);
        const auto model = makeModel(deepShape(), at::kCPU);
        const auto sizes = model->weightsOnMeta();
        std::int64_t largestWeight = 0;
        for (const auto& weight : sizes.tensors())
            largestWeight = std::max<std::int64_t>(largestWeight, 4 * weight.numel());
        const PeakAllocation peak;
        ShardedParams drawn(sizes, sizes, groups.shardingGroup(), at::kCPU);
        model->initialWeights(3, [&](const std::string& name, const at::Tensor& whole) {
            drawn.take(name, whole);
            return at::Tensor();
        });
        const auto pieces = 4 * drawn.own().elementCount();
        // its numbers are drawn, then scaled; pieces begin at multiples of 256 elements
        EXPECT_LT(peak.bytes(), 5 * pieces / 4 + 2 * largestWeight);
        EXPECT_LT(peak.bytes(), 4 * sizes.elementCount());
        const ShardedParams expected(model->initialWeights(3), sizes, groups.shardingGroup(), at::kCPU);
        for (const auto& name : expected.own().names())
            EXPECT_TRUE(at::equal(drawn.own()[name], expected.own()[name])) << name;
    });
}

TEST(FsdpUnits, TrainAsWholeWeightsOnOneProcessDo) {
    constexpr int kSteps = 5, kPasses = 2;
    struct Case {
        const char* recompute;
        int ranks;
        Json layout;
    };
    const Case cases[] = {{"none", 2, {{"shard", "zero3"}}},
                          {"full", 2, {{"shard", "zero3"}}},
                          {"selective", 4, {{"shard", "zero3"}}},
                          {"full", 4, {{"shard", "zero3"}, {"shard_ranks", 2}}}};
    for (const auto& [recompute, ranks, layout] : cases) {
        const auto shape = deepShape(recompute);
        const auto model = makeModel(shape, at::kCPU);
        const auto input = batchFor(shape);
        auto alone = liveWeights(*model);
        Gradients gradients(alone);
        const auto optimizer = makeOptimizer(alone, config::TrainConfig::Optimizer{});
        for (int step = 0; step < kSteps; ++step) {
            gradients.clear();
            model->forward(alone, input).front().square().sum().backward();
            gradients.scale(at::scalar_tensor(static_cast<double>(kPasses * ranks)));
            optimizer->step(gradients.own(), 0.01);
        }
        onRanks(ranks, [&](ProcessGroup& world) {
            DividedTraining training(shape, world, layout);
            for (int step = 0; step < kSteps; ++step) training.step(input, kPasses);
            const auto whole = training.weights.whole();
            for (const auto& name : alone.names())
                // beside steps of 0.01 each
                EXPECT_LT((whole[name] - alone[name]).abs().max().item<double>(), 5e-5)
                    << name << ", recompute " << recompute << ", " << world.size() << " ranks";
        });
    }
}

TEST(FsdpUnits, HoldTwoBlocksAtATimeBesideWhatLiesOutsideOfThem) {
    for (const auto* recompute : {"none", "selective", "full"})
        for (const bool bf16 : {false, true})
            onRanks(2, [&](ProcessGroup& world) {
                const auto shape = deepShape(recompute);
                DividedTraining training(shape, world, {{"shard", "zero3"}}, bf16);
                const UnitBytes bytes(training.weights.layout(), FsdpUnitPlan(training.weights.all()));
                training.step(batchFor(shape));
                const auto peak = static_cast<double>(training.weights.units()->peakBytes());
                EXPECT_EQ(peak, bytes.outside + 2 * bytes.block) << recompute;
                EXPECT_LT(peak, 0.6 * bytes.all);
                for (const auto& weight : training.weights.all().tensors())
                    EXPECT_EQ(weight.storage().nbytes(), 0U) << "all is freed after a pass";
            });
}

TEST(FsdpUnits, SendThreeTimesTheWeightsInAStep) {
    for (const bool bf16 : {false, true})
        for (const int passes : {1, 2})
            onRanks(4, [&](ProcessGroup& world) {
                const auto shape = deepShape("full");
                DividedTraining training(shape, world, {{"shard", "zero3"}}, bf16);
                const FsdpUnitPlan division(training.weights.all());
                const UnitBytes gathered(training.weights.layout(), division),
                    summed(training.weights.layout(), division, /*float32=*/true);
                const auto before = world.traffic();
                training.step(batchFor(shape), passes);
                auto sent = world.traffic().sent;
                const auto times = [&](const std::string& collective, double bytes) {
                    return (sent[collective].bytes -
                            (before.sent.contains(collective) ? before.sent.at(collective).bytes : 0)) /
                           (static_cast<double>(passes) * bytes * 3 / 4);
                };
                EXPECT_DOUBLE_EQ(times("reduce_scatter", summed.all), 1);
                // forward and backward; the last block and what lies outside the blocks stay in between
                EXPECT_DOUBLE_EQ(times("all_gather", 2 * gathered.all - gathered.outside - gathered.block),
                                 1);
                EXPECT_FALSE(sent.contains("all_reduce"));
            });
}

TEST(FsdpUnits, LeaveAStepWithLessMemoryThanAllWeightsTake) {
    // wide, so that weights are more than what a clip makes of them
    auto shape = deepShape("full");
    shape.model.depth = 3 * kDepth;
    shape.model.width = 192;
    shape.model.heads = 4;
    onRanks(4, [&](ProcessGroup& world) {
        DividedTraining training(shape, world, {{"shard", "zero3"}});
        const auto input = batchFor(shape);
        training.step(input);
        const PeakAllocation peak;
        training.step(input);
        const UnitBytes bytes(training.weights.layout(), FsdpUnitPlan(training.weights.all()));
        RecordProperty("peak_over_weights", std::to_string(static_cast<double>(peak.bytes()) / bytes.all));
        // units of weights and of gradients, the optimizer's work space, and activations
        EXPECT_LT(static_cast<double>(peak.bytes()), 0.6 * bytes.all);
    });
}

TEST(FsdpUnits, RefuseToBeReadOutsideOfTheirBlock) {
    onRanks(2, [](ProcessGroup& world) {
        const auto shape = deepShape();
        DividedTraining training(shape, world, {{"shard", "zero3"}});
        const auto& weights = training.weights.all();
        training.weights.units()->beginPass();
        EXPECT_NO_THROW(weights["patch.weight"]);
        EXPECT_THROW(weights["blocks.5.qkv.weight"], Error);
        EXPECT_THROW(training.weights.units()->enter("blocks.99"), Error);
        training.weights.units()->endPass();
        EXPECT_THROW(weights["patch.weight"], Error);
        EXPECT_TRUE(at::allclose(training.weights.whole()["patch.weight"],
                                 liveWeights(*training.model)["patch.weight"]));
    });
}

TEST(FsdpUnits, GatherBfloat16CopiesThatAreThoseOfOneProcess) {
    onRanks(2, [](ProcessGroup& world) {
        const auto shape = deepShape();
        DividedTraining training(shape, world, {{"shard", "zero3"}}, /*bf16=*/true);
        const auto expected = bf16Copies(liveWeights(*training.model));
        auto* units = training.weights.units();
        units->beginPass();
        units->enter("blocks.0");
        for (const auto& name : expected.names())
            if (name.starts_with("blocks.0.") || !name.starts_with("blocks.")) {
                EXPECT_EQ(training.weights.all()[name].scalar_type(), expected[name].scalar_type());
                EXPECT_TRUE(at::equal(training.weights.all()[name], expected[name])) << name;
            }
        units->endPass();
    });
}

}  // namespace
}  // namespace dailies::trainer
