#include "trainer/optim/optimizer.h"

#include "core/base/error.h"
#include "trainer/optim/cpu_offload_optimizer.h"
#include "trainer/tensors/random_tensor.h"

#include <gtest/gtest.h>
#include <torch/types.h>

namespace dailies::trainer {
namespace {

/// A matrix large enough for every optimizer's own way of keeping its state, with a last block that is not
/// full, and a small vector.
Params largeAndSmall() {
    Params weights;
    weights.add("large.weight", normalTensor(1, {101, 97}));
    weights.add("large.table", normalTensor(2, {100, 60}));
    weights.add("small.bias", normalTensor(3, {7}));
    return weights;
}

std::vector<at::Tensor> gradientsLike(const Params& weights, std::uint64_t key) {
    std::vector<at::Tensor> gradients;
    for (const auto& weight : weights.tensors()) gradients.push_back(normalTensor(++key, weight.sizes()));
    return gradients;
}

/// What every optimizer owes, whichever it is.
class EveryOptimizer : public testing::TestWithParam<const char*> {
protected:
    config::TrainConfig::Optimizer config() const {
        config::TrainConfig::Optimizer config;
        config.name = GetParam();
        return config;
    }
};

TEST_P(EveryOptimizer, GoesOnExactlyFromASavedState) {
    const auto undisturbed = largeAndSmall();
    const auto first = makeOptimizer(undisturbed, config());
    for (std::uint64_t step = 0; step < 3; ++step) first->step(gradientsLike(undisturbed, 10 * step), 0.01);
    const auto resumed = undisturbed.clone();
    const auto saved = first->state().clone();
    for (std::uint64_t step = 3; step < 6; ++step) first->step(gradientsLike(undisturbed, 10 * step), 0.01);

    const auto second = makeOptimizer(resumed, config());
    const auto state = second->state();
    ASSERT_EQ(state.names(), saved.names());
    for (const auto& name : state.names()) at::Tensor(state[name]).copy_(saved[name]);
    for (std::uint64_t step = 3; step < 6; ++step) second->step(gradientsLike(resumed, 10 * step), 0.01);
    for (const auto& name : resumed.names()) EXPECT_TRUE(at::equal(resumed[name], undisturbed[name])) << name;
}

TEST_P(EveryOptimizer, FindsTheMinimumOfAParabola) {
    const auto weights = largeAndSmall();
    const auto target = normalTensor(9, {101, 97});
    const auto optimizer = makeOptimizer(weights, config());
    const auto distance = [&] { return (weights["large.weight"] - target).norm().item<double>(); };
    const double before = distance();
    for (int step = 0; step < 400; ++step) {
        std::vector<at::Tensor> gradients;
        for (const auto& weight : weights.tensors()) gradients.push_back(weight.clone());
        gradients[0] = weights["large.weight"] - target;
        optimizer->step(gradients, step < 300 ? 0.02 : 0.002);
    }
    EXPECT_LT(distance(), 0.02 * before);
    EXPECT_LT(weights["small.bias"].norm().item<double>(), 0.02);
}

TEST_P(EveryOptimizer, DecaysMatricesOnly) {
    auto decaying = config();
    decaying.weight_decay = 0.5;
    const auto weights = largeAndSmall();
    const auto before = weights.clone();
    std::vector<at::Tensor> none;
    for (const auto& weight : weights.tensors()) none.push_back(at::zeros_like(weight));
    makeOptimizer(weights, decaying)->step(none, 0.1);
    EXPECT_TRUE(at::allclose(weights["large.weight"], before["large.weight"] * 0.95));
    EXPECT_TRUE(at::equal(weights["large.table"], before["large.table"])) << "a table is no matrix";
    EXPECT_TRUE(at::equal(weights["small.bias"], before["small.bias"]));
}

TEST_P(EveryOptimizer, MovesAgainstTheGradientByTheLearningRateAtFirst) {
    const auto weights = largeAndSmall();
    const auto before = weights.clone();
    const auto gradients = gradientsLike(weights, 50);
    makeOptimizer(weights, config())->step(gradients, 0.01);
    for (std::size_t i = 0; i < gradients.size(); ++i)
        EXPECT_TRUE(
            at::allclose(weights.tensors()[i], before.tensors()[i] - 0.01 * at::sign(gradients[i]), 0, 1e-5));
}

/// With all that it remembers apart from the weights.
std::unique_ptr<Optimizer> offloaded(const Params& weights, const config::TrainConfig::Optimizer& config) {
    return std::make_unique<CpuOffloadOptimizer>(
        weights, [&](const Params& onHost) { return makeOptimizer(onHost, config); });
}

TEST_P(EveryOptimizer, GivesTheSameWeightsFromTheHost) {
    const auto here = largeAndSmall(), fromHost = largeAndSmall();
    const auto one = makeOptimizer(here, config());
    const auto other = offloaded(fromHost, config());
    for (std::uint64_t step = 0; step < 4; ++step) {
        if (step == 2)  // as a checkpoint that is read into them
            for (const auto* weights : {&here, &fromHost})
                at::Tensor((*weights)["large.weight"]).copy_(normalTensor(77, {101, 97}));
        one->step(gradientsLike(here, 10 * step), 0.01);
        other->step(gradientsLike(fromHost, 10 * step), 0.01);
    }
    for (const auto& name : here.names()) EXPECT_TRUE(at::equal(fromHost[name], here[name])) << name;
    const auto expected = one->state(), found = other->state();
    for (const auto& name : expected.names()) EXPECT_TRUE(at::equal(found[name], expected[name])) << name;
}

TEST_P(EveryOptimizer, LearnsFasterWhereAFactorSaysSo) {
    auto grouped = config();
    grouped.lr_factors = {"large=2", "large.table=0.5"};
    grouped.weight_decay = 0.1;
    auto plain = grouped;
    plain.lr_factors.clear();
    const auto weights = largeAndSmall();
    const auto optimizer = makeOptimizer(weights, grouped);
    for (std::uint64_t step = 0; step < 3; ++step) optimizer->step(gradientsLike(weights, 10 * step), 0.01);
    for (const auto& [name, factor] :
         {std::pair{"large.weight", 2.0}, {"large.table", 0.5}, {"small.bias", 1.0}}) {
        const auto alone = largeAndSmall();
        const auto other = makeOptimizer(alone, plain);
        for (std::uint64_t step = 0; step < 3; ++step)
            other->step(gradientsLike(alone, 10 * step), factor * 0.01);
        EXPECT_TRUE(at::equal(weights[name], alone[name])) << name;
        const auto expected = other->state(), found = optimizer->state();
        EXPECT_EQ(found.names().size(), expected.names().size());
        for (const auto& part : expected.names())
            if (part.starts_with(name)) {
                EXPECT_TRUE(at::equal(found[part], expected[part])) << part;
            }
    }
    EXPECT_NO_THROW(requireLrFactorsNameWeights(grouped, weights.names()));
    grouped.lr_factors.emplace_back("smal_=3");
    try {
        requireLrFactorsNameWeights(grouped, weights.names());
        ADD_FAILURE() << "accepted";
    } catch (const InputError& error) {
        EXPECT_NE(error.full().find("smal_=3, which no trained weight matches; expected parts of names such "
                                    "as large.weight"),
                  std::string::npos)
            << error.full();
    }
}

INSTANTIATE_TEST_SUITE_P(Optimizer, EveryOptimizer, testing::Values("adamw", "adamw8bit", "muon"),
                         [](const auto& which) { return std::string(which.param); });

TEST(Optimizers, OfOtherNamesAreRefused) {
    config::TrainConfig::Optimizer config;
    config.name = "sgd";
    EXPECT_THROW(makeOptimizer(largeAndSmall(), config), InputError);
}

}  // namespace
}  // namespace dailies::trainer
