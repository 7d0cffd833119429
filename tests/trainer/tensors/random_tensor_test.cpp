#include "trainer/tensors/random_tensor.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/types.h>

namespace dailies::trainer {
namespace {

TEST(NormalTensor, AnyPartIsDrawnWithoutTheRest) {
    const auto whole = normalTensor(5, {1001});
    for (const std::int64_t first : {0, 1, 2, 3, 4, 499, 1000})
        EXPECT_TRUE(at::equal(normalTensor(5, {1001 - first}, first), whole.narrow(0, first, 1001 - first)))
            << first;
}

TEST(NormalTensor, IsTheSameForAnyNumberOfThreads) {
    const auto before = at::get_num_threads();
    at::set_num_threads(1);
    const auto alone = normalTensor(5, {300, 501});
    at::set_num_threads(2);
    EXPECT_TRUE(at::equal(normalTensor(5, {300, 501}), alone));
    at::set_num_threads(before);
}

TEST(NormalTensor, IsStandardNormalAndFinite) {
    const auto drawn = normalTensor(6, {1'000'000});
    EXPECT_NEAR(drawn.mean().item<double>(), 0, 0.005);
    EXPECT_NEAR(drawn.std().item<double>(), 1, 0.005);
    EXPECT_NEAR((drawn.abs() > 1.959964).to(at::kFloat).mean().item<double>(), 0.05, 0.002);
    EXPECT_TRUE(at::isfinite(drawn).all().item<bool>());
    // neighbours come from one radius, yet know nothing of each other
    EXPECT_NEAR((drawn.narrow(0, 0, 999'999) * drawn.narrow(0, 1, 999'999)).mean().item<double>(), 0, 0.005);
}

}  // namespace
}  // namespace dailies::trainer
