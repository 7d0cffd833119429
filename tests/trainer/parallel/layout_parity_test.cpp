#include "tests/trainer/models/families.h"
#include "tests/trainer/parallel/divisible.h"
#include "tests/trainer/parallel/thread_ranks.h"
#include "trainer/lora/lora_model.h"
#include "trainer/parallel/parallel_dims.h"
#include "trainer/parallel/sharded_params.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <memory>

namespace dailies::trainer {
namespace {

/// Of a model on its batch, a sum over clips.
at::Tensor lossOf(const Model& model, const Params& weights, const ModelInput& input) {
    const auto out = model.forward(weights, input).front();
    const auto slope = at::linspace(-1, 1, out.size(1)).view({1, -1, 1, 1, 1});
    return (out.square() + out * slope).sum();
}

/// The clips of one of the ranks that take different ones.
ModelInput clipsOf(const ModelInput& input, const DistEnv& data) {
    const auto count = input.times.size(0) / data.size;
    return someClips(input, data.rank * count, count);
}

struct OneProcess {
    explicit OneProcess(const Model& model, const ModelInput& input) : weights(liveWeights(model)) {
        for (const auto& weight : weights.tensors()) at::Tensor(weight).set_requires_grad(true);
        const auto sum = lossOf(model, weights, input);
        sum.backward();
        loss = sum.item<double>();
    }
    Params weights;  ///< with gradients
    double loss = 0;
};

/// The weights of a model as its layout has a rank hold them. `slices`: null where they are whole.
std::unique_ptr<ShardedParams> heldWeights(const Model& model, const std::string& shard, ProcessGroup& ranks,
                                           const TensorParallelShards* slices) {
    const auto held = [slices](const Params& whole) { return slices ? slices->own(whole) : whole; };
    const auto weights = held(liveWeights(model));
    if (shard == "zero3")
        return std::make_unique<ShardedParams>(weights, held(model.weightsOnMeta()), ranks, at::kCPU, slices);
    return std::make_unique<ShardedParams>(weights, ranks, slices);
}

/// What each rank sends in a pass, forward and backward, its gradients not yet summed.
Traffic sentByEachRank(const ModelShape& shape, int size, const Json& layout) {
    std::vector<Traffic> sent(static_cast<std::size_t>(size));
    onRanks(size, [&](ProcessGroup& world) {
        const ParallelDims groups(Mesh(configWith(layout), ranksOf(world)), world);
        const auto model = makeModel(shape, at::kCPU);
        const auto weights = liveWeights(*model);
        for (const auto& weight : weights.tensors()) at::Tensor(weight).set_requires_grad(true);
        auto input = batchFor(shape);
        input.sequenceParallel = groups.tokens();
        lossOf(*model, weights, input).backward();
        sent[static_cast<std::size_t>(world.rank())] = world.traffic();
    });
    for (const auto& traffic : sent) EXPECT_DOUBLE_EQ(traffic.bytes(), sent.front().bytes());
    return sent.front();
}

/// `ranks` divide its weights; null: nobody does.
using MakeModel = std::unique_ptr<Model> (*)(const ModelShape& shape, ProcessGroup* ranks);

std::unique_ptr<Model> wholeModel(const ModelShape& shape, ProcessGroup*) {
    return makeModel(shape, at::kCPU);
}

/// An adapter on a base of which each rank has its shards.
template <bool kInt8>
std::unique_ptr<Model> adapterOf(const ModelShape& shape, ProcessGroup* ranks) {
    auto model = makeModel(shape, at::kCPU);
    const auto weights = liveWeights(*model);
    lora::BaseStorage storage{.int8 = kInt8};
    if (ranks) storage.shardOf = shardReader(*model, *ranks);
    auto base = lora::loadBase(
        *model, [&](const std::string& name) { return weights[name]; }, at::kCPU, storage,
        [&](const std::string& name) { return !model->isAdded(name); });
    config::TrainConfig::Lora config;
    config.rank = 3;
    return std::make_unique<lora::LoraModel>(std::move(model), config, std::move(base));
}

/// Loss, every gradient and their norm on these ranks against one process, to a relative 1e-5.
void expectParity(const ModelShape& shape, int size, const Json& layout, MakeModel modelOf = wholeModel) {
    const auto input = batchFor(shape);
    const auto modelAlone = modelOf(shape, nullptr);
    const OneProcess alone(*modelAlone, input);
    double squares = 0;
    for (const auto& weight : alone.weights.tensors()) squares += weight.grad().square().sum().item<double>();

    onRanks(size, [&](ProcessGroup& world) {
        const auto config = configWith(layout);
        const Mesh mesh(config, ranksOf(world));
        const ParallelDims groups(mesh, world);
        const auto model = modelOf(shape, &groups.tensorParallelGroup());
        const auto slices = groups.weights()
                                ? std::make_unique<TensorParallelShards>(*model, groups.tensorParallelGroup())
                                : nullptr;
        const auto held = heldWeights(*model, config.layout.shard, groups.shardingGroup(), slices.get());
        const auto& weights = *held;
        auto* units = weights.units();
        auto sum = groups.gradientReduceOptions(
            config.layout.shard == "none" || config.layout.shard == "zero1", true);
        if (units) sum.onGradientReady = [units](std::size_t bucket) { units->release(bucket); };
        sum.isTensorParallel = weights.tensorParallelBuckets();
        Gradients gradients(weights.all(), weights.layout(), sum);
        auto computed = weights.all();
        computed.setTensorParallel(groups.weights());
        auto own = clipsOf(input, mesh.dataRanks());
        own.sequenceParallel = groups.tokens();

        gradients.clear();
        gradients.beginPass(true);
        if (units) units->beginPass();
        const auto loss = lossOf(*model, computed, own);
        loss.backward();
        if (units) units->endPass();
        gradients.finish();

        auto total = loss.detach() / static_cast<double>(mesh.sizes().ranksPerClip());
        world.allReduce(total);
        EXPECT_NEAR(total.item<double>(), alone.loss, 1e-5 * std::abs(alone.loss));
        EXPECT_NEAR(gradients.norm().item<double>(), std::sqrt(squares), 1e-5 * std::sqrt(squares));
        for (std::size_t i = 0; i < weights.own().names().size(); ++i) {
            const auto& name = weights.own().names()[i];
            const auto expected = alone.weights[name].grad();
            EXPECT_LT((gradients.own()[i] - weights.ownOf(name, expected)).abs().max().item<double>(),
                      1e-5 * expected.abs().max().item<double>())
                << name << " on rank " << world.rank();
        }
    });
}

class LayoutParity : public testing::TestWithParam<Variant> {
protected:
    const ModelShape& shape = GetParam().shape;
    bool hasHeadsForTwo() const { return shape.model.kv_heads != 1; }
    bool canBeSliced() const { return !makeModel(shape, at::kCPU)->tpPlan().empty(); }
    bool spansClips() const { return shape.model.family != "st-dit"; }
};

TEST_P(LayoutParity, OfStatesThatAreDivided) {
    expectParity(shape, 2, {{"shard", "zero1"}});
    expectParity(shape, 2, {{"shard", "zero2"}});
}

TEST_P(LayoutParity, OfWeightsThatAreDivided) {
    for (const auto* recompute : {"none", "selective", "full"}) {
        auto again = shape;
        again.model.recompute = recompute;
        expectParity(again, 2, {{"shard", "zero3"}});
    }
}

TEST_P(LayoutParity, OfWeightsThatAreDividedAndTokensThatAreShared) {
    if (!hasHeadsForTwo()) GTEST_SKIP() << "one key head cannot be exchanged";
    for (const auto* recompute : {"none", "full"}) {
        auto again = shape;
        again.model.recompute = recompute;
        expectParity(again, 2, {{"cp", 2}, {"shard", "zero3"}});
    }
    expectParity(shape, 4, {{"cp", 2}, {"shard", "zero3"}, {"shard_ranks", 2}});
}

TEST_P(LayoutParity, OfTokensThatAreSharedByHeads) {
    if (!hasHeadsForTwo()) GTEST_SKIP() << "one key head cannot be exchanged";
    expectParity(shape, 2, {{"cp", 2}});
    expectParity(shape, 4, {{"cp", 2}, {"shard", "zero2"}, {"shard_ranks", 2}});
}

TEST_P(LayoutParity, OfTokensThatAreSharedInARing) {
    if (!spansClips()) GTEST_SKIP() << "two frames cannot be divided by three";
    expectParity(shape, 3, {{"cp", 3}, {"ring", 3}});
    if (hasHeadsForTwo()) expectParity(shape, 4, {{"cp", 4}, {"ring", 2}, {"shard", "zero1"}});
}

TEST_P(LayoutParity, OfTokensThatAreSharedAndComputedAgain) {
    if (!hasHeadsForTwo()) GTEST_SKIP() << "one key head cannot be exchanged";
    for (const auto* recompute : {"selective", "full"}) {
        auto again = shape;
        again.model.recompute = recompute;
        expectParity(again, 2, {{"cp", 2}, {"shard", "zero2"}});
    }
}

TEST_P(LayoutParity, OfWeightsThatAreSliced) {
    if (!canBeSliced()) GTEST_SKIP() << "no rules";
    expectParity(divisible(shape), 2, {{"tp", 2}});
    expectParity(divisible(shape), 4, {{"tp", 2}});
    if (shape.model.kv_heads == 0) expectParity(divisible(shape), 4, {{"tp", 4}});
}

TEST_P(LayoutParity, OfAdaptersWhoseBaseIsSliced) {
    if (!canBeSliced()) GTEST_SKIP() << "no rules";
    for (const auto modelOf : {adapterOf<false>, adapterOf<true>}) {
        expectParity(divisible(shape), 2, {{"tp", 2}}, modelOf);
        auto again = divisible(shape);
        again.model.recompute = "full";
        expectParity(again, 4, {{"tp", 2}, {"shard", "zero2"}}, modelOf);
        if (hasHeadsForTwo()) expectParity(again, 4, {{"tp", 2}, {"cp", 2}}, modelOf);
    }
}

TEST_P(LayoutParity, OfSlicesThatAreDivided) {
    if (!canBeSliced()) GTEST_SKIP() << "no rules";
    for (const auto* shard : {"zero1", "zero2", "zero3"})
        expectParity(divisible(shape), 4, {{"tp", 2}, {"shard", shard}});
}

TEST_P(LayoutParity, OfSlicesThatAreComputedAgain) {
    if (!canBeSliced()) GTEST_SKIP() << "no rules";
    for (const auto* recompute : {"selective", "full"}) {
        auto again = divisible(shape);
        again.model.recompute = recompute;
        expectParity(again, 2, {{"tp", 2}});
        expectParity(again, 4, {{"tp", 2}, {"shard", "zero3"}});
    }
}

TEST_P(LayoutParity, OfSlicesAndTokensThatAreShared) {
    if (!canBeSliced()) GTEST_SKIP() << "no rules";
    if (shape.model.kv_heads == 0) {
        expectParity(divisible(shape), 4, {{"tp", 2}, {"cp", 2}});
        expectParity(divisible(shape), 8, {{"tp", 2}, {"cp", 2}, {"shard", "zero2"}});
        expectParity(divisible(shape), 8, {{"tp", 2}, {"cp", 2}, {"shard", "zero3"}, {"shard_ranks", 2}});
    }
    if (!spansClips()) return;
    expectParity(divisible(shape), 4, {{"tp", 2}, {"cp", 2}, {"ring", 2}});
    if (shape.model.kv_heads == 0) expectParity(divisible(shape), 6, {{"tp", 2}, {"cp", 3}, {"ring", 3}});
}

/// Blocks within frames, along time and over whole clips, of 4 frames of 24 tokens.
ModelShape blocksOfFrames() {
    for (const auto& variant : variants())
        if (variant.name == "st_dit_with_full_attention") {
            auto shape = divisible(variant.shape);
            shape.model.patch_frames = 1;
            shape.model.patch_size = 4;
            return shape;
        }
    throw std::logic_error("no such variant");
}

TEST(FramesParity, OfRanksThatExchangeFramesForPlaces) {
    const auto shape = blocksOfFrames();
    expectParity(shape, 2, {{"cp", 2}});
    expectParity(shape, 4, {{"cp", 4}});
    expectParity(shape, 8, {{"cp", 4}, {"shard", "zero2"}});
    for (const auto* recompute : {"selective", "full"}) {
        auto again = shape;
        again.model.recompute = recompute;
        expectParity(again, 4, {{"cp", 2}, {"shard", "zero3"}});
    }
}

TEST(FramesParity, OfRanksThatPassWholeClipsRoundARing) {
    const auto shape = blocksOfFrames();
    expectParity(shape, 2, {{"cp", 2}, {"ring", 2}});
    expectParity(shape, 4, {{"cp", 4}, {"ring", 4}, {"shard", "zero1"}});
    expectParity(shape, 8, {{"cp", 4}, {"ring", 2}, {"shard", "zero3"}});
}

TEST(FramesParity, OfRanksThatDivideWeightsToo) {
    const auto shape = blocksOfFrames();
    expectParity(shape, 4, {{"cp", 2}, {"tp", 2}});
    expectParity(shape, 4, {{"cp", 2}, {"ring", 2}, {"tp", 2}, {"shard", "zero3"}});
    expectParity(shape, 8, {{"cp", 2}, {"ring", 2}, {"tp", 2}, {"shard", "zero2"}});
    auto twoFrames = shape;
    twoFrames.model.patch_frames = 2;
    expectParity(twoFrames, 4, {{"cp", 2}, {"tp", 2}});  // whole frames, but heads along time
    auto oddFrames = shape;
    oddFrames.frames = 3 * oddFrames.model.patch_frames;
    expectParity(oddFrames, 2, {{"cp", 2}});  // heads in every block
}

TEST(FramesParity, SendsWhatTheFormulasSay) {
    auto shape = blocksOfFrames();
    shape.model.full_attention_every = 0;
    const auto model = makeModel(shape, at::kCPU);
    const auto tensor = [&](double ranks) {  // of a rank's tokens of both clips, in bytes
        return 4 * 2 * static_cast<double>(model->tokensPerClip() * shape.model.width) / ranks;
    };
    for (const std::int64_t blocks : {1, 2, 4}) {
        shape.model.depth = blocks;
        const auto alongTime = static_cast<double>(blocks / 2);
        const auto sent = sentByEachRank(shape, 4, {{"cp", 4}, {"ring", 2}}).sent;
        // nothing within frames; along time there and back, and the same backward
        EXPECT_DOUBLE_EQ(blocks == 1 ? 0 : sent.at("all_to_all").bytes, 4 * alongTime * tensor(4) * 3 / 4);
        EXPECT_EQ(blocks == 1 ? 0 : sent.at("all_to_all").calls, 4 * alongTime);
        EXPECT_EQ(sent.size(), blocks == 1 ? 1U : 2U) << "and the output, gathered";
    }
    shape.model.depth = 3;
    shape.model.full_attention_every = 3;
    const auto ring = sentByEachRank(shape, 4, {{"cp", 4}, {"ring", 4}}).sent.at("all_to_all");
    EXPECT_DOUBLE_EQ(ring.bytes, 4 * tensor(4) * 3 / 4 + (6 * 4 - 4) * tensor(4));
    const auto heads = sentByEachRank(shape, 4, {{"cp", 4}}).sent.at("all_to_all");
    EXPECT_DOUBLE_EQ(heads.bytes, (4 + 8) * tensor(4) * 3 / 4);
}

INSTANTIATE_TEST_SUITE_P(Families, LayoutParity, testing::ValuesIn(variants()),
                         [](const auto& family) { return family.param.name; });

}  // namespace
}  // namespace dailies::trainer
