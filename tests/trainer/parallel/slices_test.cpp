#include "core/base/error.h"
#include "tests/trainer/models/families.h"
#include "tests/trainer/parallel/thread_ranks.h"
#include "tests/trainer/peak_allocation.h"
#include "trainer/parallel/parallel_dims.h"
#include "trainer/parallel/tensor_parallel_shards.h"

#include <gmock/gmock.h>
#include <torch/types.h>

#include <algorithm>

namespace dailies::trainer {
namespace {

const std::vector<TpRule> kRules = {{"blocks.*.qkv", TpStyle::columnwise, {8, 4, 4}},
                                    {"blocks.*.out", TpStyle::rowwise}};

/// What rank 1 of 2 has of a weight.
std::optional<Cut> cutOfSecond(const std::string& weight, const Extents& shape) {
    return tpShardOf(kRules, weight, shape, 1, 2);
}

TEST(DivisionRules, DealOutEachOfTheMatricesThatLieBehindOneAnother) {
    const auto cut = cutOfSecond("blocks.3.qkv.weight", {16, 6});
    ASSERT_TRUE(cut);
    EXPECT_EQ(cut->axis, 0U);
    EXPECT_EQ(cut->intervals, (std::vector<Cut::Interval>{{4, 4}, {10, 2}, {14, 2}}));
    EXPECT_EQ(cutOfSecond("blocks.3.qkv.bias", {16}), cut) << "a bias is of the outputs";
}

TEST(DivisionRules, LeaveEveryRankTheBiasOfALayerWhoseInputsTheyDivide) {
    EXPECT_EQ(cutOfSecond("blocks.11.out.weight", {6, 10}), (Cut{1, {{5, 5}}}));
    EXPECT_FALSE(cutOfSecond("blocks.11.out.bias", {6}));
}

TEST(DivisionRules, SpeakOfTheLayersThatTheyNameOnly) {
    for (const auto* other :
         {"text.block.0.qkv.weight", "blocks.3.cross.qkv.weight", "qkv.weight", "blocks.3.qkv"})
        EXPECT_FALSE(cutOfSecond(other, {16, 6})) << other;
}

TEST(Slices, OfACutLieInTheWholeWhereItsStretchesAre) {
    const Cut cut{0, {{4, 4}, {10, 2}}};
    EXPECT_EQ(cut.sizeOf({16, 6}), (Extents{6, 6}));
    EXPECT_EQ(cut.placesOf({{3, 1}, {2, 5}}), (std::vector<Box>{{{7, 1}, {1, 5}}, {{10, 1}, {1, 5}}}));
    EXPECT_EQ(Cut{}.placesOf({{3, 1}, {2, 5}}), (std::vector<Box>{{{3, 1}, {2, 5}}})) << "not cut at all";
}

/// Of a family that says nothing of how ranks divide it.
class ModelWithoutRules : public Model {
public:
    using Model::Model;
    std::unique_ptr<ModelPass> begin(const Params&, const ModelInput&) const override { return {}; }
    std::int64_t tokensPerClip(const ClipSize&) const override { return 1; }
    Flops flops(const ClipSize&, std::int64_t) const override { return {}; }
    void declareWeights(WeightInitializer& make) const override { make.zeros("weight", {2, 2}); }
};

TEST(Slices, AreRefusedOfAFamilyWithoutRulesNamingThoseThatHaveThem) {
    onRanks(2, [](ProcessGroup& world) {
        const ModelWithoutRules model(variants().front().shape);
        try {
            const TensorParallelShards slices(model, world);
            ADD_FAILURE() << "accepted";
        } catch (const InputError& error) {
            EXPECT_THAT(error.full(), testing::HasSubstr("layout.tp: found 2 with model.family dit"));
            EXPECT_THAT(error.full(),
                        testing::HasSubstr("model.family dit, st-dit, wan, ltx, unianimate can be divided"));
        }
    });
}

TEST(Slices, MakeTheWholeWeightsOfEveryFamilyAgain) {
    for (const auto& variant : variants()) {
        if (variant.shape.model.kv_heads == 1) continue;
        onRanks(2, [&](ProcessGroup& world) {
            const ParallelDims groups(Mesh(configWith({{"tp", 2}}), ranksOf(world)), world);
            const auto model = makeModel(variant.shape, at::kCPU);
            const TensorParallelShards slices(*model, groups.tensorParallelGroup());
            const auto weights = liveWeights(*model);
            const auto own = slices.own(weights);
            EXPECT_LT(own.elementCount(), weights.elementCount()) << variant.name;
            const auto whole = slices.whole(own);
            for (const auto& name : weights.names())
                EXPECT_TRUE(at::equal(whole[name], weights[name])) << variant.name << " " << name;
        });
    }
}

TEST(Slices, AreDrawnWithNoMoreThanOneWholeWeightBesideThem) {
    for (const std::string name : {"dit", "wan"}) {
        const auto variant = std::ranges::find(variants(), name, &Variant::name);
        auto shape = variant->shape;
        shape.model.depth = 8;
        onRanks(2, [&](ProcessGroup& world) {
            const ParallelDims groups(Mesh(configWith({{"tp", 2}}), ranksOf(world)), world);
            const auto model = makeModel(shape, at::kCPU);
            const TensorParallelShards slices(*model, groups.tensorParallelGroup());
            const auto sizes = model->weightsOnMeta();
            std::int64_t largestWeight = 0;
            for (const auto& weight : sizes.tensors())
                largestWeight = std::max<std::int64_t>(largestWeight, 4 * weight.numel());
            const PeakAllocation peak;
            const auto own = model->initialWeights(
                3, [&](const auto& weight, const auto& whole) { return slices.own(weight, whole); });
            // its numbers are drawn, then scaled
            EXPECT_LE(peak.bytes(), 4 * own.elementCount() + 2 * largestWeight + (8 << 10)) << name;
            const auto expected = slices.own(model->initialWeights(3));
            for (const auto& weight : expected.names())
                EXPECT_TRUE(at::equal(own[weight], expected[weight])) << name << " " << weight;
        });
    }
}

TEST(Slices, AreGatheredAndSummedInOrderWithTheGradientsOfOneProcess) {
    onRanks(2, [](ProcessGroup& world) {
        const ParallelDims groups(Mesh(configWith({{"tp", 2}}), ranksOf(world)), world);
        const auto& share = *groups.weights();
        const auto mine = at::arange(12, at::kFloat).view({2, 2, 3}) + 100 * world.rank();
        for (const std::int64_t dim : {1, -1}) {
            const auto own = mine.clone().set_requires_grad(true);
            const auto all = share.allGather(own, dim);
            EXPECT_TRUE(at::equal(all.narrow(dim, world.rank() * own.size(dim), own.size(dim)), own));
            // each rank's loss reads all of it; the gradient is that of their sum
            (all * static_cast<double>(world.rank() + 1)).sum().backward();
            EXPECT_TRUE(at::equal(own.grad(), at::full_like(own, 3)));
        }
        const auto part = mine.clone().set_requires_grad(true);
        const auto sum = share.reduceScatter(part, 1);
        EXPECT_TRUE(at::equal(
            sum, (2 * at::arange(12, at::kFloat).view({2, 2, 3}) + 100).narrow(1, world.rank(), 1)));
        (sum * static_cast<double>(world.rank() + 1)).sum().backward();
        EXPECT_TRUE(at::equal(part.grad(), at::tensor({1.0F, 2.0F}).view({1, 2, 1}).expand({2, 2, 3})));
    });
}

/// What a rank sends in a pass of the model, forward and backward, its gradients not yet summed.
Traffic sentInAPass(const ModelShape& shape, int ranks) {
    Traffic traffic;
    onRanks(ranks, [&](ProcessGroup& world) {
        const ParallelDims groups(Mesh(configWith({{"tp", ranks}}), ranksOf(world)), world);
        const auto model = makeModel(shape, at::kCPU);
        auto weights = TensorParallelShards(*model, groups.tensorParallelGroup()).own(liveWeights(*model));
        weights.setTensorParallel(groups.weights());
        for (const auto& weight : weights.tensors()) at::Tensor(weight).set_requires_grad(true);
        auto input = batchFor(shape);
        input.sequenceParallel = groups.tokens();
        model->forward(weights, input).front().square().sum().backward();
        if (world.rank() == 0) traffic = world.traffic();
    });
    return traffic;
}

TEST(Slices, SendWhatTheFormulaSays) {
    for (const auto& variant : variants()) {
        const bool reads = variant.shape.textWidth > 0;
        if (variant.name != "dit_full_adaln_grouped_queries" && variant.name != "dit_that_reads_embeddings")
            continue;
        auto shape = variant.shape;
        shape.model.kv_heads = 0;
        shape.model.adaln = "full";
        const auto model = makeModel(shape, at::kCPU);
        constexpr double kRanksOfModel = 2, kClipsOfBatch = 2;
        const auto width = static_cast<double>(shape.model.width);
        const auto depth = static_cast<double>(shape.model.depth);
        const double tokens = kClipsOfBatch * static_cast<double>(model->tokensPerClip());
        const double subLayers = reads ? 3 : 2;
        const double others = (kRanksOfModel - 1) / kRanksOfModel, bytes = sizeof(float);
        const auto traffic = sentInAPass(shape, static_cast<int>(kRanksOfModel));
        // a sub-layer gathers its tokens and sums them, backward the other way round; modulation has no sum
        const double rows = bytes * tokens * width * subLayers * depth * others;
        const double conditioning = bytes * kClipsOfBatch * width * (3 * subLayers * depth + 2) * others;
        const double patches = bytes * static_cast<double>(batchFor(shape).groups[0].clips.numel()) * others;
        EXPECT_DOUBLE_EQ(traffic.sent.at("all_gather").bytes, 2 * rows + conditioning + patches)
            << variant.name;
        EXPECT_DOUBLE_EQ(traffic.sent.at("reduce_scatter").bytes, 2 * rows + conditioning) << variant.name;
        EXPECT_EQ(traffic.sent.size(), 2U) << "nothing else";
    }
}

}  // namespace
}  // namespace dailies::trainer
