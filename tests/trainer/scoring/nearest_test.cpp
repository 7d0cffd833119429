#include "trainer/scoring/nearest.h"

#include "trainer/tensors/random_tensor.h"

#include <gtest/gtest.h>
#include <torch/types.h>

namespace dailies::trainer {
namespace {

TEST(Nearest, IsTheHighestCosineOfAnyRowAbove) {
    const std::int64_t count = 2500;  // more than are multiplied at once
    const auto features = normalTensor(5, {count, 6}) * 3;
    const auto nearest = nearestAbove(features);
    ASSERT_EQ(nearest.size(), static_cast<std::size_t>(count));
    EXPECT_EQ(nearest[0].row, -1) << "there is none above it";
    const auto exact = features.to(at::kDouble);
    const auto unit = exact / exact.norm(2, 1, true);
    for (const std::int64_t row : {1, 2, 1023, 1024, 1025, 2048, 2499}) {
        const auto above = at::matmul(unit.slice(0, 0, row), unit[row]);
        const auto& found = nearest[static_cast<std::size_t>(row)];
        EXPECT_NEAR(found.similarity, above.max().item<double>(), 1e-5) << row;
        EXPECT_EQ(found.row, above.argmax().item<std::int64_t>()) << row;
    }
    EXPECT_TRUE(nearestAbove(at::zeros({0, 6})).empty());
    EXPECT_EQ(nearestAbove(at::zeros({2, 6}))[1].similarity, 0) << "nothing is like what has no direction";
}

}  // namespace
}  // namespace dailies::trainer
