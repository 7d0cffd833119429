#include "tests/trainer/models/families.h"
#include "tests/trainer/parallel/divisible.h"
#include "tests/trainer/parallel/thread_ranks.h"
#include "trainer/parallel/parallel_dims.h"
#include "trainer/parallel/sharded_params.h"
#include "trainer/training/train_engine.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <limits>
#include <map>
#include <mutex>

namespace dailies::trainer {
namespace {

TEST(Sends, ArriveInTheOrderInWhichTheyBegan) {
    onRanks(2, [](ProcessGroup& world) {
        std::vector<at::Tensor> tensors;
        std::vector<WorkHandle> pending;
        for (std::int64_t i = 0; i < 5; ++i) {
            const bool sends = world.rank() == 0;
            tensors.push_back(sends ? at::full({2, 3}, i, at::kFloat) : at::zeros({2, 3}));
            pending.push_back(sends ? world.startSend(tensors.back()) : world.startReceive(tensors.back()));
        }
        for (auto& each : pending) each.wait();
        for (std::int64_t i = 0; i < 5; ++i)
            EXPECT_TRUE(at::equal(tensors[static_cast<std::size_t>(i)], at::full({2, 3}, i, at::kFloat)));
        EXPECT_EQ(world.traffic().bytes(), world.rank() == 0 ? 5 * 6 * 4 : 0);
    });
}

/// As many pairs of clips as asked for, all different.
ModelInput batchOf(const ModelShape& shape, std::int64_t pairs) {
    auto input = batchFor(shape);
    const auto more = [pairs](at::Tensor& rows, double step) {
        if (!rows.defined()) return;
        std::vector<at::Tensor> all;
        for (std::int64_t i = 0; i < pairs; ++i)
            all.push_back(step > 0 ? rows * (1 + step * static_cast<double>(i)) : rows);
        rows = at::cat(all);
    };
    more(input.groups[0].clips, 0.25);
    more(input.groups[0].conditioning, 0);
    more(input.groups[0].imageTokens, 0.3);
    more(input.groups[0].character.poses, 0.2);
    more(input.groups[0].character.referencePose, 0.4);
    more(input.times, 0.1);
    more(input.text.words, 0);
    more(input.text.embeddings, 0.5);
    more(input.text.mask, 0);
    return input;
}

ModelInput partOf(const ModelInput& input, std::int64_t index, std::int64_t parts) {
    const auto count = input.times.size(0) / parts;
    return someClips(input, index * count, count);
}

at::Tensor lossOf(const at::Tensor& out) {
    const auto slope = at::linspace(-1, 1, out.size(1)).view({1, -1, 1, 1, 1});
    return (out.square() + out * slope).sum();
}

struct WholeModel {
    WholeModel(const Model& model, const ModelInput& input) : weights(liveWeights(model)) {
        for (const auto& weight : weights.tensors()) at::Tensor(weight).set_requires_grad(true);
        output = model.forward(weights, input).front();
        const auto sum = lossOf(output);
        sum.backward();
        loss = sum.item<double>();
        for (const auto& weight : weights.tensors()) squares += weight.grad().square().sum().item<double>();
    }
    Params weights;  ///< with gradients
    at::Tensor output;
    double loss = 0, squares = 0;
};

/// Loss, every gradient, their norm and the output of a pass without gradients against one process, to a
/// relative 1e-5. `depth`: blocks of the model, in place of the shape's.
void expectStagesAgree(ModelShape shape, std::int64_t depth, int size, const Json& layout,
                       std::int64_t microBatches) {
    shape.model.depth = depth;
    const auto config = configWith(layout);
    const auto sizes = config::layoutOf(config, size);
    const auto input = batchOf(shape, std::max<std::int64_t>(1, sizes.dp * microBatches / 2));
    const WholeModel alone(*makeModel(shape, at::kCPU), input);

    onRanks(size, [&](ProcessGroup& world) {
        const Mesh mesh(config, ranksOf(world));
        const ParallelDims groups(mesh, world);
        const auto model = makeModel(shape, at::kCPU);
        const PipelineStage stage(*groups.pipeline(), depth);
        const TensorParallelShards slices(*model, groups.tensorParallelGroup(), &stage);
        const ShardedParams weights(slices.own(liveWeights(*model)), groups.shardingGroup(), &slices);
        auto sum = groups.gradientReduceOptions(true, false);
        sum.isTensorParallel = weights.tensorParallelBuckets();
        sum.isOnEveryStage = weights.bucketsOnEveryStage();
        Gradients gradients(weights.all(), weights.layout(), sum);
        auto computed = weights.all();
        computed.setTensorParallel(groups.weights());
        computed.setPipeline(&stage);
        auto own = partOf(input, mesh.dataRanks().rank, mesh.dataRanks().size);
        own.sequenceParallel = groups.tokens();

        gradients.clear();
        gradients.beginPass(true);
        auto total = at::zeros({});
        const auto begin = [&](std::int64_t i) {
            return model->begin(computed, partOf(own, i, microBatches));
        };
        const auto loss = [&](std::int64_t, const std::vector<at::Tensor>& outputs) {
            const auto ofPart = lossOf(outputs.front());
            total += ofPart.detach();
            return ofPart;
        };
        HostPhaseClock clock;
        stage.forwardBackward({microBatches, begin, loss, at::kCPU, "fp32"}, clock);
        gradients.finish();

        total /= static_cast<double>(mesh.sizes().ranksPerClip());
        EXPECT_EQ(total.item<double>() != 0, mesh.isLastStage());
        world.allReduce(total);
        EXPECT_NEAR(total.item<double>(), alone.loss, 1e-5 * std::abs(alone.loss));
        EXPECT_NEAR(gradients.norm().item<double>(), std::sqrt(alone.squares),
                    1e-5 * std::sqrt(alone.squares));
        for (std::size_t i = 0; i < weights.own().names().size(); ++i) {
            const auto& name = weights.own().names()[i];
            const auto expected = alone.weights[name].grad();
            EXPECT_LT((gradients.own()[i] - weights.ownOf(name, expected)).abs().max().item<double>(),
                      1e-5 * expected.abs().max().item<double>())
                << name << " on rank " << world.rank();
        }

        const at::NoGradGuard noGradients;
        const auto output = model->forward(computed, own).front();
        const auto expected = alone.output.detach().chunk(mesh.dataRanks().size)[mesh.dataRanks().rank];
        EXPECT_LT((output - expected).abs().max().item<double>(), 1e-5 * expected.abs().max().item<double>())
            << "every stage knows what the network puts out";
    });
}

class Pipeline : public testing::TestWithParam<Variant> {
protected:
    const ModelShape& shape = GetParam().shape;
};

TEST_P(Pipeline, OfStagesComputesWhatOneProcessDoes) {
    expectStagesAgree(shape, 4, 2, {{"pp", 2}}, 4);
    expectStagesAgree(shape, 4, 4, {{"pp", 4}}, 2);
}

TEST_P(Pipeline, OfChunksThatTakeTurnsComputesWhatOneProcessDoes) {
    expectStagesAgree(shape, 4, 2, {{"pp", 2}, {"pp_chunks", 2}}, 4);
    expectStagesAgree(shape, 6, 3, {{"pp", 3}, {"pp_chunks", 2}}, 6);
}

TEST_P(Pipeline, OfBlocksThatAreComputedAgain) {
    for (const auto* recompute : {"selective", "full"}) {
        auto again = shape;
        again.model.recompute = recompute;
        expectStagesAgree(again, 4, 2, {{"pp", 2}, {"pp_chunks", 2}}, 2);
    }
}

TEST_P(Pipeline, OfCopiesAndOfStatesThatTheyDivide) {
    expectStagesAgree(shape, 2, 4, {{"pp", 2}}, 2);
    expectStagesAgree(shape, 2, 4, {{"pp", 2}, {"shard", "zero1"}}, 2);
}

TEST_P(Pipeline, OfWeightsThatAreSliced) {
    expectStagesAgree(divisible(shape), 2, 4, {{"pp", 2}, {"tp", 2}}, 2);
    expectStagesAgree(divisible(shape), 2, 8, {{"pp", 2}, {"tp", 2}, {"shard", "zero1"}}, 2);
}

TEST_P(Pipeline, OfTokensThatAreShared) {
    expectStagesAgree(divisible(shape), 2, 4, {{"pp", 2}, {"cp", 2}}, 2);
    if (shape.model.family == "st-dit") return;  // blocks within frames
    expectStagesAgree(divisible(shape), 2, 4, {{"pp", 2}, {"cp", 2}, {"ring", 2}}, 2);
}

INSTANTIATE_TEST_SUITE_P(Families, Pipeline, testing::ValuesIn(variants()),
                         [](const auto& family) { return family.param.name; });

TEST(Stages, TellEachOtherWhichWeightIsNotFinite) {
    auto shape = variants().front().shape;
    onRanks(4, [&](ProcessGroup& world) {
        const auto config = configWith({{"pp", 2}, {"tp", 2}});
        const ParallelDims groups(Mesh(config, ranksOf(world)), world);
        const auto model = makeModel(shape, at::kCPU);
        const auto objective = makeObjective(config.diffusion);
        TrainEngine engine(
            config, *model, *objective, groups, at::kCPU,
            [&](const WeightInitializer::Keep& keep) { return model->initialWeights(1, keep); });
        const auto& own = engine.weights().own();
        const at::NoGradGuard noGradients;
        if (own.contains("blocks.1.mlp_in.weight"))
            own["blocks.1.mlp_in.weight"].select(0, 0).fill_(std::numeric_limits<double>::quiet_NaN());
        own["time.in.weight"].select(0, 0).fill_(std::numeric_limits<double>::infinity());
        for (const auto& weight : engine.health()) {
            std::int64_t bad = 0;
            if (weight.name == "blocks.1.mlp_in.weight") bad = 2 * shape.model.width;  // a row of each slice
            if (weight.name == "time.in.weight") bad = shape.model.width;              // though all have it
            EXPECT_EQ(weight.bad, bad) << weight.name << " on rank " << world.rank();
            EXPECT_EQ(weight.badGradients, 0) << weight.name;
        }
    });
}

TEST(Stages, TogetherHoldEveryWeightAndWriteItOnce) {
    for (auto variant : variants()) {
        variant.shape.model.depth = 4;
        const auto model = makeModel(variant.shape, at::kCPU);
        const auto all = model->weightsOnMeta();
        std::map<std::string, int> holders, writers;
        std::mutex mutex;
        onRanks(4, [&](ProcessGroup& world) {
            const ParallelDims groups(
                Mesh(configWith({{"pp", 2}, {"pp_chunks", 2}, {"tp", 2}}), ranksOf(world)), world);
            if (groups.tensorParallelGroup().rank() == 0) {
                const PipelineStage stage(*groups.pipeline(), 4);
                const TensorParallelShards slices(*model, groups.tensorParallelGroup(), &stage);
                const auto own = slices.own(all);
                const std::lock_guard lock(mutex);
                for (const auto& name : own.names()) {
                    ++holders[name];
                    writers[name] += slices.rangeOf(name).written;
                }
            }
            auto everybody = at::zeros({1});
            world.allReduce(
                everybody);  // a rank that left earlier would break groups that others still connect
        });
        for (const auto& name : all.names()) {
            EXPECT_EQ(holders[name], PipelineStage::isOnEveryStage(name) ? 2 : 1)
                << variant.name << " " << name;
            EXPECT_EQ(writers[name], 1) << variant.name << " " << name;
        }
    }
}

}  // namespace
}  // namespace dailies::trainer
