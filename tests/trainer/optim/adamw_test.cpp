#include "trainer/optim/adamw.h"

#include "trainer/optim/ema.h"
#include "trainer/tensors/random_tensor.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

namespace dailies::trainer {
namespace {

Params adamWeights() {
    Params weights;
    weights.add("a.weight", normalTensor(1, {4, 3}));
    weights.add("a.bias", normalTensor(2, {4}));
    return weights;
}

config::TrainConfig::Optimizer adamSettings() {
    config::TrainConfig::Optimizer settings;
    settings.weight_decay = 0.1;
    return settings;
}

TEST(AdamW, FollowsItsFormulaAndDecaysMatricesOnly) {
    const auto weights = adamWeights();
    const auto before = weights.clone();
    AdamW optimizer(weights, adamSettings());
    const std::vector<at::Tensor> gradients{normalTensor(3, {4, 3}), normalTensor(4, {4})};
    const double lr = 0.01, b1 = 0.9, b2 = 0.95;
    at::Tensor m[2], v[2], expected[2] = {before["a.weight"].clone(), before["a.bias"].clone()};
    for (int step = 1; step <= 3; ++step) {
        optimizer.step(gradients, lr);
        for (int i = 0; i < 2; ++i) {
            m[i] = (m[i].defined() ? m[i] * b1 : at::zeros_like(gradients[i])) + gradients[i] * (1 - b1);
            v[i] = (v[i].defined() ? v[i] * b2 : at::zeros_like(gradients[i])) +
                   gradients[i].square() * (1 - b2);
            if (i == 0) expected[i] = expected[i] * (1 - lr * 0.1);
            expected[i] = expected[i] - lr * (m[i] / (1 - std::pow(b1, step))) /
                                            ((v[i] / (1 - std::pow(b2, step))).sqrt() + 1e-8);
        }
    }
    EXPECT_TRUE(at::allclose(weights["a.weight"], expected[0], 1e-5, 1e-6));
    EXPECT_TRUE(at::allclose(weights["a.bias"], expected[1], 1e-5, 1e-6));
}

TEST(Average, MovesTowardsTheWeights) {
    const auto weights = adamWeights();
    const auto average = weights.clone();
    at::Tensor(weights["a.bias"]).add_(1);
    updateEma(average, weights, 0.9);
    EXPECT_TRUE(at::allclose(average["a.bias"], weights["a.bias"] - 0.9, 1e-5, 1e-6));
}

TEST(Average, ByThePowerProfileForgetsLessAndLess) {
    config::TrainConfig::Optimizer config;
    EXPECT_EQ(emaDecay(config, 1000), config.ema_decay);
    EXPECT_EQ(emaDecay(config, 1), 0) << "the initial weights do not count";
    EXPECT_DOUBLE_EQ(emaDecay(config, 2), 2.0 / 11) << "as diffusers' EMAModel warms up";
    EXPECT_DOUBLE_EQ(emaDecay(config, 101), 101.0 / 110);
    config.ema_power = 6.94;
    EXPECT_EQ(emaDecay(config, 1), 0) << "the first average is the first weights";
    EXPECT_NEAR(emaDecay(config, 1000), std::pow(0.999, 7.94), 1e-12);
    // Karras et al. 2024: power 6.94 has a deviation of a tenth of the run's length
    double weight = 1, mass = 0, mean = 0, square = 0;
    for (std::int64_t step = 1000; step >= 1; --step) {
        const double decay = emaDecay(config, step), share = weight * (1 - decay);
        mass += share;
        mean += share * static_cast<double>(step);
        square += share * static_cast<double>(step * step);
        weight *= decay;
    }
    EXPECT_NEAR(mass, 1, 1e-9);
    EXPECT_NEAR(std::sqrt(square - mean * mean) / 1000, 0.1, 1e-3);
}

}  // namespace
}  // namespace dailies::trainer
