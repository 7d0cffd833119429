#include "trainer/optim/adamw.h"

#include "trainer/parallel/gradients.h"
#include "trainer/random_tensor.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

namespace dailies::trainer {
namespace {

Params twoWeights() {
    Params weights;
    weights.add("a.weight", normalTensor(1, {4, 3}));
    weights.add("a.bias", normalTensor(2, {4}));
    return weights;
}

config::TrainConfig::Optimizer settings() {
    config::TrainConfig::Optimizer settings;
    settings.weight_decay = 0.1;
    return settings;
}

TEST(AdamW, FollowsItsFormulaAndDecaysMatricesOnly) {
    const auto weights = twoWeights();
    const auto before = weights.clone();
    AdamW optimizer(weights, settings());
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

TEST(AdamW, GoesOnExactlyFromASavedState) {
    const auto undisturbed = twoWeights();
    const std::vector<at::Tensor> gradients{normalTensor(3, {4, 3}), normalTensor(4, {4})};
    AdamW first(undisturbed, settings());
    first.step(gradients, 0.01);
    const auto resumed = undisturbed.clone();
    const auto saved = first.state().clone();
    first.step(gradients, 0.01);

    AdamW second(resumed, settings());
    const auto state = second.state();
    for (const auto& name : state.names()) at::Tensor(state[name]).copy_(saved[name]);
    second.step(gradients, 0.01);
    for (const auto& name : resumed.names()) EXPECT_TRUE(at::equal(resumed[name], undisturbed[name])) << name;
}

TEST(Average, MovesTowardsTheWeights) {
    const auto weights = twoWeights();
    const auto average = weights.clone();
    at::Tensor(weights["a.bias"]).add_(1);
    updateAverage(average, weights, 0.9);
    EXPECT_TRUE(at::allclose(average["a.bias"], weights["a.bias"] - 0.9, 1e-5, 1e-6));
}

TEST(Gradients, LandInTheBucketsThroughBackward) {
    for (const std::int64_t bucketBytes : {1, 40, 1 << 20}) {
        const auto weights = twoWeights();
        Gradients gradients(weights, bucketBytes);
        for (int pass = 0; pass < 2; ++pass) {
            gradients.clear();
            (weights["a.weight"].sum() * 3 + weights["a.bias"].sum() * 4).backward();
        }
        EXPECT_TRUE(at::equal(gradients.views()[0], at::full({4, 3}, 3.0)));
        EXPECT_TRUE(at::equal(gradients.views()[1], at::full({4}, 4.0)));
        EXPECT_NEAR(gradients.norm().item<double>(), std::sqrt(12 * 9 + 4 * 16), 1e-4);
        gradients.scale(at::full({}, 0.5));
        EXPECT_TRUE(at::equal(gradients.views()[1], at::full({4}, 2.0)));
    }
}

}  // namespace
}  // namespace dailies::trainer
