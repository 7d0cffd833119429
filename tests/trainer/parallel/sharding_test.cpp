#include "core/base/error.h"
#include "core/base/files.h"
#include "tests/trainer/parallel/thread_ranks.h"
#include "trainer/checkpoint/checkpoints.h"
#include "trainer/optim/optimizer.h"
#include "trainer/parallel/parallel_dims.h"
#include "trainer/parallel/sharded_params.h"
#include "trainer/tensors/random_tensor.h"

#include <gmock/gmock.h>
#include <torch/types.h>

#include <cmath>
#include <limits>

namespace dailies::trainer {
namespace {

/// Weights larger and smaller than what ranks divide by, one with more dims than two.
Params someWeights() {
    Params weights;
    weights.add("first.weight", normalTensor(1, {40, 30}));
    weights.add("first.bias", normalTensor(2, {7}));
    weights.add("large.weight", normalTensor(3, {101, 97}));
    weights.add("table", normalTensor(4, {3, 50, 11}));
    weights.add("last.weight", normalTensor(5, {33, 5}));
    return weights;
}

/// What one rank's clips give of a weight's gradient.
at::Tensor gradientOn(std::int64_t rank, std::size_t weight, at::IntArrayRef sizes) {
    return normalTensor(100 * static_cast<std::uint64_t>(rank) + weight, sizes);
}

/// Backward gives each weight this rank's gradient.
void runBackward(const Params& weights, std::int64_t rank) {
    auto sum = at::zeros({});
    for (std::size_t i = 0; i < weights.names().size(); ++i) {
        const auto& weight = weights.tensors()[i];
        sum = sum + (weight * gradientOn(rank, i, weight.sizes())).sum();
    }
    sum.backward();
}

/// This rank's piece of a whole tensor, or all of it.
at::Tensor pieceOf(const at::Tensor& whole, const TensorRanges& ranges, const std::string& name,
                   std::int64_t elements) {
    const auto range = ranges.find(name);
    return range == ranges.end() ? whole : whole.flatten().narrow(0, range->second.begin, elements);
}

struct SumCase {
    int ranks = 2;
    Json layout;
    std::int64_t passes = 1;
    bool overlapReduce = true;
};

TEST(GradientSums, AreThoseOfOneProcessInEveryLayout) {
    const auto whole = someWeights();
    const SumCase cases[] = {
        {2, {{"shard", "none"}}},
        {3, {{"shard", "none"}}, 2, false},
        {2, {{"shard", "zero1"}}},
        {3, {{"shard", "zero1"}}, 2},
        {3, {{"shard", "zero2"}}},
        {4, {{"shard", "zero2"}}, 3},
        {2, {{"shard", "zero2"}}, 2, false},
        {4, {{"shard", "zero1"}, {"shard_ranks", 2}}, 2},
        {4, {{"shard", "zero2"}, {"shard_ranks", 2}}, 2},
    };
    for (const auto& [ranks, layout, passes, overlapReduce] : cases) {
        std::vector<at::Tensor> expected;
        double squares = 0;
        for (std::size_t i = 0; i < whole.names().size(); ++i) {
            auto sum = at::zeros_like(whole.tensors()[i]);
            for (int rank = 0; rank < ranks; ++rank) sum += gradientOn(rank, i, sum.sizes());
            expected.push_back(sum * static_cast<double>(passes));
            squares += expected.back().square().sum().item<double>();
        }
        onRanks(ranks, [&](ProcessGroup& world) {
            const auto config = configWith(layout);
            const ParallelDims groups(Mesh(config, ranksOf(world)), world);
            const auto weights = someWeights();
            const FlatLayout flat(weights, groups.shardingGroup().size(), /*bucketBytes=*/16 << 10);
            EXPECT_GT(flat.buckets(), 2U);
            const ShardedParams shards(weights, groups.shardingGroup());
            Gradients gradients(weights, flat,
                                groups.gradientReduceOptions(config.layout.shard != "zero2", overlapReduce));
            for (int step = 0; step < 2; ++step) {
                gradients.clear();
                for (std::int64_t pass = 0; pass < passes; ++pass) {
                    gradients.beginPass(pass + 1 == passes);
                    runBackward(weights, world.rank());
                }
                gradients.finish();
            }
            EXPECT_NEAR(gradients.norm().item<double>(), std::sqrt(squares), 1e-5 * std::sqrt(squares));
            const auto pieces = flat.shardsOf(groups.shardingGroup().rank());
            ASSERT_EQ(pieces.size(), gradients.own().size());
            for (std::size_t i = 0; i < pieces.size(); ++i) {
                const auto part =
                    expected[pieces[i].weight].flatten().narrow(0, pieces[i].begin, pieces[i].elements);
                EXPECT_TRUE(at::allclose(gradients.own()[i].flatten(), part, 1e-5, 1e-5))
                    << layout << " weight " << pieces[i].weight << " on rank " << world.rank();
            }
        });
    }
}

TEST(GradientSums, TellEveryRankWhichWeightsGradientIsNotFinite) {
    for (const auto* shard : {"none", "zero1", "zero2"})
        onRanks(2, [&](ProcessGroup& world) {
            const auto config = configWith({{"shard", shard}});
            const ParallelDims groups(Mesh(config, ranksOf(world)), world);
            const auto weights = someWeights();
            Gradients gradients(weights, FlatLayout(weights, groups.shardingGroup().size()),
                                groups.gradientReduceOptions(config.layout.shard != "zero2", true));
            gradients.clear();
            gradients.beginPass(true);
            const double bad = world.rank() == 1 ? std::numeric_limits<double>::quiet_NaN() : 1;
            (weights["large.weight"].select(0, 100) * bad).sum().backward();
            gradients.finish();
            EXPECT_EQ(gradients.notFinite(), (std::vector<std::int64_t>{0, 0, 97, 0, 0})) << shard;
            EXPECT_FALSE(std::isfinite(gradients.norm().item<double>()));
        });
}

TEST(GradientSums, InBfloat16SendHalfAsMuchAndRoundEachRanksPart) {
    for (const Json& layout : {Json{{"shard", "none"}}, Json{{"shard", "zero1"}}, Json{{"shard", "zero2"}},
                               Json{{"shard", "zero2"}, {"shard_ranks", 2}}})
        onRanks(4, [&](ProcessGroup& world) {
            const auto config = configWith(layout);
            const ParallelDims groups(Mesh(config, ranksOf(world)), world);
            const auto weights = someWeights();
            const FlatLayout flat(weights, groups.shardingGroup().size(), /*bucketBytes=*/16 << 10);
            std::vector<std::vector<at::Tensor>> found;
            std::vector<double> sent;
            for (const auto type : {at::kFloat, at::kBFloat16}) {
                auto sum = groups.gradientReduceOptions(config.layout.shard != "zero2", true);
                sum.reduceType = type;
                Gradients gradients(weights, flat, sum);
                const double before = world.traffic().bytes();
                gradients.clear();
                gradients.beginPass(true);
                runBackward(weights, world.rank());
                gradients.finish();
                sent.push_back(world.traffic().bytes() - before);
                auto& own = found.emplace_back();
                for (const auto& gradient : gradients.own()) {
                    EXPECT_EQ(gradient.scalar_type(), at::kFloat);
                    own.push_back(gradient.clone());
                }
            }
            EXPECT_GE(sent[1], sent[0] / 2) << layout;
            EXPECT_LT(sent[1], 1.01 * sent[0] / 2) << layout << ": equal pieces for all ranks";
            for (std::size_t i = 0; i < found[0].size(); ++i) {
                const double largest = found[0][i].abs().max().item<double>();
                EXPECT_LT((found[1][i] - found[0][i]).abs().max().item<double>(), largest / 32) << layout;
                EXPECT_FALSE(at::equal(found[1][i], found[0][i])) << layout;
            }
        });
}

TEST(GradientSums, InBfloat16AddUpInFloat32) {
    // neighbours of 1 lie 1/128 apart in bfloat16: added one by one there, none of the others' parts would
    // count
    constexpr double kOthers = 1.5 / 256, kSum = 1 + 3 * kOthers;
    for (const auto* shard : {"none", "zero1", "zero2"})
        onRanks(4, [&](ProcessGroup& world) {
            const auto config = configWith({{"shard", shard}});
            const ParallelDims groups(Mesh(config, ranksOf(world)), world);
            Params weights;
            weights.add("a.weight", at::zeros({7, 3}));
            const auto divided = groups.shardingGroup().size() > 1;
            auto sum = groups.gradientReduceOptions(config.layout.shard != "zero2", true);
            sum.reduceType = at::kBFloat16;
            Gradients gradients(weights, FlatLayout(weights, groups.shardingGroup().size()), sum);
            gradients.clear();
            gradients.beginPass(true);
            (weights["a.weight"].sum() * (world.rank() == 0 ? 1 : kOthers)).backward();
            gradients.finish();
            // whole sums are rounded once more on their way back
            const auto wanted = at::full({}, kSum).to(divided ? at::kFloat : at::kBFloat16).item<double>();
            for (const auto& gradient : gradients.own())
                EXPECT_TRUE(at::equal(gradient, at::full_like(gradient, wanted)))
                    << shard << ": " << gradient.flatten()[0].item<double>() << ", expected " << wanted;
        });
}

TEST(GradientSums, BeginWhileBackwardGoesOn) {
    for (const bool overlapReduce : {true, false})
        onRanks(2, [&](ProcessGroup& world) {
            const ParallelDims groups(Mesh(configWith(Json::object()), ranksOf(world)), world);
            const auto weights = someWeights();
            const FlatLayout flat(weights, 1, /*bucketBytes=*/16 << 10);
            Gradients gradients(weights, flat, groups.gradientReduceOptions(true, overlapReduce));
            const auto begun = [&] {
                const auto& sent = world.traffic().sent;
                return sent.contains("all_reduce") ? sent.at("all_reduce").calls : 0;
            };
            std::int64_t beforeTheFirstWeight = -1;
            weights["first.weight"].register_hook([&](const at::Tensor& gradient) {
                beforeTheFirstWeight = begun();
                return gradient;
            });
            gradients.clear();
            gradients.beginPass(false);  // as the first of two parts of a step
            runBackward(weights, world.rank());
            EXPECT_EQ(begun(), 0) << "the step is not complete";
            gradients.beginPass(true);
            runBackward(weights, world.rank());
            EXPECT_EQ(beforeTheFirstWeight > 0, overlapReduce) << "backward comes to it last";
            gradients.finish();
            EXPECT_EQ(begun(), static_cast<std::int64_t>(flat.buckets()));
        });
}

TEST(GradientSums, SendNoMoreDividedThanWhole) {
    const auto sent = [](const Json& layout, int ranks) {
        Traffic traffic;
        onRanks(ranks, [&](ProcessGroup& world) {
            const auto config = configWith(layout);
            const ParallelDims groups(Mesh(config, ranksOf(world)), world);
            ShardedParams weights(someWeights(), groups.shardingGroup());
            Gradients gradients(weights.all(), weights.layout(),
                                groups.gradientReduceOptions(config.layout.shard != "zero2", true));
            gradients.beginPass(true);
            runBackward(weights.all(), world.rank());
            gradients.finish();
            weights.gather();
            if (world.rank() == 0) traffic = world.traffic();
        });
        return traffic;
    };
    const double bytes = 4.0 * static_cast<double>(someWeights().elementCount());
    EXPECT_DOUBLE_EQ(sent({{"shard", "none"}}, 4).sent.at("all_reduce").bytes, 2 * bytes * 3 / 4);
    for (const auto* shard : {"zero1", "zero2"}) {
        const auto traffic = sent({{"shard", shard}}, 4);
        EXPECT_FALSE(traffic.sent.contains("all_reduce"));
        // weights begin at multiples of 256 elements, and buckets are multiples of that and the ranks
        const double room = 4.0 * static_cast<double>(FlatLayout(someWeights(), 4).bucketElements(0));
        EXPECT_LT(room, bytes + 4 * 256 * (5 + 4));
        EXPECT_DOUBLE_EQ(traffic.sent.at("reduce_scatter").bytes, room * 3 / 4);
        EXPECT_DOUBLE_EQ(traffic.sent.at("all_gather").bytes, room * 3 / 4);
    }
    // within groups of two the whole, and halves across the groups
    const auto hybrid = sent({{"shard", "zero2"}, {"shard_ranks", 2}}, 4);
    const double room = 4.0 * static_cast<double>(FlatLayout(someWeights(), 2).bucketElements(0));
    EXPECT_DOUBLE_EQ(hybrid.sent.at("reduce_scatter").bytes, room / 2);
    EXPECT_DOUBLE_EQ(hybrid.sent.at("all_reduce").bytes, 2 * (room / 2) / 2);
}

/// An optimizer's updates with ranks that divide its states, against one that has them all.
class DividedOptimizer : public testing::TestWithParam<const char*> {
protected:
    static constexpr int kSteps = 3;

    config::TrainConfig::Optimizer config() const {
        config::TrainConfig::Optimizer config;
        config.name = GetParam();
        config.weight_decay = 0.1;
        return config;
    }

    /// The whole state after `kSteps` on one process.
    TrainingState alone() const {
        TrainingState state;
        state.weights = someWeights();
        const auto optimizer = makeOptimizer(state.weights, config());
        for (int step = 0; step < kSteps; ++step) {
            std::vector<at::Tensor> gradients;
            for (std::size_t i = 0; i < state.weights.names().size(); ++i)
                gradients.push_back(gradientOn(step, i, state.weights.tensors()[i].sizes()));
            optimizer->step(gradients, 0.01);
        }
        state.optimizer = optimizer->state();
        return state;
    }

    /// One rank's share of the same.
    TrainingState share(ShardedParams& weights, ProcessGroup& ranks) const {
        const auto optimizer = makeOptimizer(weights.own(), config(), weights.ranges());
        for (int step = 0; step < kSteps; ++step) {
            std::vector<at::Tensor> gradients;
            for (const auto& piece : weights.layout().shardsOf(ranks.rank()))
                gradients.push_back(
                    gradientOn(step, piece.weight, weights.all().tensors()[piece.weight].sizes())
                        .flatten()
                        .narrow(0, piece.begin, piece.elements));
            optimizer->step(gradients, 0.01);
        }
        weights.gather();
        TrainingState state;
        state.step = kSteps;
        state.weights = weights.own();
        state.optimizer = optimizer->state();
        state.ranges = weights.ranges();
        state.ranges.merge(optimizer->stateRanges());
        state.share = {ranks.rank(), ranks.size()};
        return state;
    }
};

TEST_P(DividedOptimizer, UpdatesAsOneThatHasAllStates) {
    const auto expected = alone();
    for (const int ranks : {2, 3, 4})
        onRanks(ranks, [&](ProcessGroup& world) {
            ShardedParams weights(someWeights(), world);
            share(weights, world);
            for (const auto& name : expected.weights.names())
                EXPECT_TRUE(at::allclose(weights.all()[name], expected.weights[name], 1e-6, 1e-7)) << name;
            const auto doubled = weights.gathered(weights.own());
            for (const auto& name : expected.weights.names())
                EXPECT_TRUE(at::equal(doubled[name], weights.all()[name])) << name;
        });
}

TEST_P(DividedOptimizer, IsSavedInPartsAndReadByAnyNumberOfRanks) {
    const TemporaryFolder folder("dailies-shares");
    const Checkpoints checkpoints(folder.path(), {});
    const auto save = [&](int ranks) {
        checkpoints.prepare(kSteps);
        onRanks(ranks, [&](ProcessGroup& world) {
            ShardedParams weights(someWeights(), world);
            const auto state = share(weights, world);
            checkpoints.save(state);
        });
    };
    const auto expected = alone();
    for (const int writers : {2, 3}) {
        save(writers);
        const auto whole = checkpoints.load(kSteps);
        ASSERT_EQ(whole.optimizer.names().size(), expected.optimizer.names().size());
        for (const auto& name : expected.optimizer.names())
            EXPECT_TRUE(at::allclose(whole.optimizer[name].to(at::kFloat),
                                     expected.optimizer[name].to(at::kFloat), 1e-6, 1e-6))
                << name;
        for (const int readers : {1, 4})
            onRanks(readers, [&](ProcessGroup& world) {
                ShardedParams weights(someWeights(), world);
                const auto optimizer = makeOptimizer(weights.own(), config(), weights.ranges());
                checkpoints.loadInto(kSteps, "weights", weights.own(), weights.ranges());
                checkpoints.loadInto(kSteps, "optimizer", optimizer->state(), optimizer->stateRanges());
                weights.gather();
                for (const auto& name : whole.weights.names())
                    EXPECT_TRUE(at::equal(weights.all()[name], whole.weights[name])) << name;
                const auto state = optimizer->state();
                const auto ranges = optimizer->stateRanges();
                for (const auto& name : state.names())
                    EXPECT_TRUE(at::equal(
                        state[name].flatten(),
                        pieceOf(whole.optimizer[name], ranges, name, state[name].numel()).flatten()))
                        << name << " on " << readers;
            });
    }
}

INSTANTIATE_TEST_SUITE_P(Optimizer, DividedOptimizer, testing::Values("adamw", "adamw8bit"),
                         [](const auto& which) { return std::string(which.param); });

TEST(CheckpointShares, TellTheLeadingRankWhyOneCouldNotBeWritten) {
    const TemporaryFolder folder("dailies-shares");
    const Checkpoints checkpoints(folder.path(), {});
    TrainingState state;
    state.step = 4;
    state.weights.add("a", normalTensor(1, {4}));
    state.share = {1, 2};
    state.ranges["a"] = {{4}, 2};  // two elements too many
    checkpoints.prepare(4);
    EXPECT_THROW(checkpoints.save(state), Error);
    state.share = {0, 2};
    state.ranges.clear();
    try {
        checkpoints.save(state);
        FAIL() << "a part is missing";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("Rank 1: A rank's part of a does not lie in it."));
    }
    EXPECT_EQ(checkpoints.newest(), std::nullopt);
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "checkpoints" / "step-000000004"));
}

}  // namespace
}  // namespace dailies::trainer
