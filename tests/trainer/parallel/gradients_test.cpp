#include "trainer/parallel/gradients.h"

#include "trainer/tensors/random_tensor.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

namespace dailies::trainer {
namespace {

Params twoLeaves(at::ScalarType type) {
    Params weights;
    weights.add("a.weight", normalTensor(1, {4, 3}).to(type));
    weights.add("a.bias", normalTensor(2, {4}));
    return weights;
}

TEST(Gradients, LandInTheBucketsThroughBackward) {
    for (const std::int64_t bucketBytes : {1, 40, 1 << 20}) {
        const auto weights = twoLeaves(at::kFloat);
        Gradients gradients(weights, bucketBytes);
        for (int pass = 0; pass < 2; ++pass) {
            gradients.clear();
            (weights["a.weight"].sum() * 3 + weights["a.bias"].sum() * 4).backward();
        }
        EXPECT_TRUE(at::equal(gradients.own()[0], at::full({4, 3}, 3.0)));
        EXPECT_TRUE(at::equal(gradients.own()[1], at::full({4}, 4.0)));
        EXPECT_NEAR(gradients.norm().item<double>(), std::sqrt(12 * 9 + 4 * 16), 1e-4);
        gradients.scale(at::full({}, 0.5));
        EXPECT_TRUE(at::equal(gradients.own()[1], at::full({4}, 2.0)));
    }
}

TEST(Gradients, OfBf16WeightsAreSummedInFloat32) {
    const auto weights = twoLeaves(at::kBFloat16);
    Gradients gradients(weights);
    gradients.clear();
    // 256 + 1 is lost in bfloat16, whose neighbours of 256 lie 2 apart
    (weights["a.weight"].sum() * 256).backward();
    (weights["a.weight"].sum() * 1).backward();
    EXPECT_EQ(gradients.own()[0].scalar_type(), at::kFloat);
    EXPECT_TRUE(at::equal(gradients.own()[0], at::full({4, 3}, 257.0)));
    EXPECT_TRUE(at::equal(gradients.own()[1], at::zeros({4})));
}

}  // namespace
}  // namespace dailies::trainer
