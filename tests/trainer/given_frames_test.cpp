#include "trainer/given_frames.h"

#include "trainer/random_tensor.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <numeric>

namespace dailies::trainer {
namespace {

TEST(GivenFrames, AreTheFirstOfAClipWithTheirMask) {
    const auto clips = normalTensor(1, {2, 3, 4, 4, 3});
    const auto given = givenFrames(clips, at::tensor({2, 0}, at::kLong));
    ASSERT_EQ(given.sizes(), at::IntArrayRef({2, 3, 4, 4, 4}));
    const auto mask = given.select(-1, 0), values = given.narrow(-1, 1, 3);
    EXPECT_TRUE(at::equal(values[0].narrow(0, 0, 2), clips[0].narrow(0, 0, 2)));
    EXPECT_EQ(mask[0].narrow(0, 0, 2).min().item<float>(), 1);
    EXPECT_EQ(given[0][2].abs().max().item<float>(), 0);
    EXPECT_EQ(given[1].abs().max().item<float>(), 0);
}

TEST(GivenFrames, AreDrawnForThePlaceInTheGlobalBatch) {
    config::TrainConfig config;
    EXPECT_FALSE(drawGivenFrames(config, 1, {0, 1}).defined());
    config.model.conditioning = "frames";
    config.model.given_frames = 3;
    std::vector<std::int64_t> places(400);
    std::iota(places.begin(), places.end(), 0);
    const auto all = drawGivenFrames(config, 5, places);
    EXPECT_TRUE(at::equal(drawGivenFrames(config, 5, {7, 300}), at::stack({all[7], all[300]})));
    EXPECT_FALSE(at::equal(drawGivenFrames(config, 6, places), all));
    EXPECT_NEAR((all > 0).to(at::kFloat).mean().item<double>(), config.model.given_share, 0.08);
    EXPECT_EQ(all.max().item<std::int64_t>(), 3);
    for (std::int64_t count = 0; count <= 3; ++count)
        EXPECT_GT((all == count).sum().item<std::int64_t>(), 30);
}

}  // namespace
}  // namespace dailies::trainer
