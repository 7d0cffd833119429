#include "trainer/optim/step_guard.h"

#include "trainer/optim/loss_spikes.h"
#include "trainer/optim/master_weights.h"
#include "trainer/tensors/random.h"
#include "trainer/tensors/random_tensor.h"

#include <gmock/gmock.h>
#include <torch/types.h>

#include <cmath>

namespace dailies::trainer {
namespace {

using ::testing::HasSubstr;

std::vector<WeightHealth> threeLayers() {
    return {{"first.weight", 4}, {"middle.weight", 4}, {"last.weight", 4}};
}

TEST(StepGuard, NamesTheWeightThatIsNotFinite) {
    auto layers = threeLayers();
    layers[1].bad = 1;
    layers[2].bad = 4;
    EXPECT_THAT(whyNotFinite(false, layers),
                HasSubstr("weight middle.weight itself is not finite (1 of 4 numbers)"));
}

TEST(StepGuard, NamesWhereBackwardMetItFirst) {
    auto layers = threeLayers();
    layers[0].badGradients = layers[1].badGradients = 1;
    const auto text = whyNotFinite(true, layers);
    EXPECT_THAT(text, HasSubstr("The loss is finite; 2 of 3 weights"));
    EXPECT_THAT(text, HasSubstr("the first layer's first.weight"));
    EXPECT_THAT(text, HasSubstr("backward met it first in middle.weight"));
}

TEST(StepGuard, TellsALossThatIsNotFinite) {
    auto layers = threeLayers();
    EXPECT_THAT(whyNotFinite(false, layers), HasSubstr("the loss is not: an input"));
    for (auto& layer : layers) layer.badGradients = 1;
    EXPECT_THAT(whyNotFinite(false, layers), HasSubstr("3 of 3 weights"));
    EXPECT_THAT(whyNotFinite(true, threeLayers()), HasSubstr("their norm overflows"));
}

/// Losses as a diffusion model has them: noisy, slowly falling.
double noisyLoss(std::int64_t step, Random& random) {
    return (0.3 + 0.5 * std::exp(-static_cast<double>(step) / 300)) * (1 + 0.15 * random.normal());
}

TEST(LossSpikes, AreTheStepsThatAPersonWouldPointAt) {
    Random random(3);
    LossSpikes spikes;
    for (std::int64_t step = 1; step <= 2000; ++step) {
        const bool odd = step == 700 || step == 1500;
        const auto spike = spikes.observe(step, odd ? 2.0 : noisyLoss(step, random));
        ASSERT_EQ(spike.has_value(), odd) << "step " << step;
        if (spike) {
            EXPECT_GT(spike->factor, 4);
            EXPECT_EQ(spike->suppressed, 0);
        }
    }
}

TEST(LossSpikes, AreToldRarely) {
    Random random(4);
    LossSpikes spikes;
    for (std::int64_t step = 1; step <= 200; ++step) spikes.observe(step, noisyLoss(step, random));
    EXPECT_TRUE(spikes.observe(201, 9));
    int told = 0;
    for (std::int64_t step = 202; step <= 240; ++step) told += spikes.observe(step, 9).has_value();
    EXPECT_EQ(told, 0);
    for (std::int64_t step = 241; step <= 500; ++step) spikes.observe(step, noisyLoss(step, random));
    const auto next = spikes.observe(501, 9);
    ASSERT_TRUE(next);
    EXPECT_EQ(next->suppressed, 39);
}

TEST(LossSpikes, AreFoundAtOnceAfterAResumption) {
    Random random(5);
    LossSpikes before, after;
    for (std::int64_t step = 1; step <= 200; ++step) before.observe(step, noisyLoss(step, random));
    EXPECT_FALSE(after.observe(201, 9)) << "one that knows no earlier losses cannot tell";
    after.restore(before.recent());
    EXPECT_TRUE(after.observe(202, 9));
}

TEST(LossSpikes, AreNoneInTheFallAtTheBeginning) {
    LossSpikes spikes;
    for (std::int64_t step = 1; step <= 100; ++step)
        EXPECT_FALSE(spikes.observe(step, 1.0 / static_cast<double>(step)));
}

TEST(MasterWeights, AreRoundedIntoTheCopies) {
    Params masters;
    masters.add("blocks.0.qkv.weight", normalTensor(1, {6, 2}));
    masters.add("final.weight", normalTensor(2, {2, 2}));
    const auto copies = bf16Copies(masters);
    EXPECT_EQ(copies["blocks.0.qkv.weight"].scalar_type(), at::kBFloat16);
    EXPECT_TRUE(copies["final.weight"].is_same(masters["final.weight"]));
    for (auto tensor : masters.tensors()) tensor.add_(0.001);
    refreshCopies(copies, masters);
    EXPECT_TRUE(at::equal(copies["blocks.0.qkv.weight"], masters["blocks.0.qkv.weight"].to(at::kBFloat16)));
}

}  // namespace
}  // namespace dailies::trainer
