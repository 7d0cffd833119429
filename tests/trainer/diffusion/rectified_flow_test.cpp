#include "trainer/diffusion/rectified_flow.h"

#include "core/base/error.h"
#include "trainer/diffusion/samplers/sampler.h"
#include "trainer/random_tensor.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

namespace dailies::trainer {
namespace {

class RectifiedFlowTest : public testing::Test {
protected:
    at::Tensor clip = normalTensor(1, {4, 2, 3, 3, 3});
    at::Tensor noise = normalTensor(2, {4, 2, 3, 3, 3});
    at::Tensor times = at::tensor({0.1F, 0.4F, 0.8F, 1.0F});
    RectifiedFlow ofClip{RectifiedFlow::Prediction::clip};
    RectifiedFlow ofVelocity{RectifiedFlow::Prediction::velocity};
};

TEST_F(RectifiedFlowTest, JoinsClipAndNoiseByAStraightPath) {
    EXPECT_TRUE(at::equal(RectifiedFlow::mix(clip, noise, at::zeros({4})), clip));
    EXPECT_TRUE(at::equal(RectifiedFlow::mix(clip, noise, at::ones({4})), noise));
    const double h = 1e-3;
    const auto slope =
        (RectifiedFlow::mix(clip, noise, times + h) - RectifiedFlow::mix(clip, noise, times)) / h;
    EXPECT_TRUE(at::allclose(slope, noise - clip, 1e-2, 1e-2));
}

TEST_F(RectifiedFlowTest, BothPredictionsMeanTheSameVelocity) {
    const auto mixed = RectifiedFlow::mix(clip, noise, times);
    EXPECT_TRUE(at::allclose(ofClip.velocity(clip, mixed, times), noise - clip, 1e-4, 1e-4));
    EXPECT_TRUE(at::equal(ofVelocity.velocity(noise - clip, mixed, times), noise - clip));
}

TEST_F(RectifiedFlowTest, APerfectPredictionCostsNothing) {
    EXPECT_EQ(ofClip.loss(clip, clip, noise, times).abs().max().item<float>(), 0);
    EXPECT_EQ(ofVelocity.loss(noise - clip, clip, noise, times).abs().max().item<float>(), 0);
}

TEST_F(RectifiedFlowTest, BothPredictionsCostTheErrorOfTheVelocity) {
    const auto mixed = RectifiedFlow::mix(clip, noise, times);
    const auto guess = clip + 0.3 * normalTensor(3, clip.sizes());
    const auto velocity = ofClip.velocity(guess, mixed, times);
    const auto expected = (velocity - (noise - clip)).square().flatten(1).mean(1);
    EXPECT_TRUE(at::allclose(ofClip.loss(guess, clip, noise, times), expected, 1e-4, 1e-5));
    EXPECT_TRUE(at::allclose(ofVelocity.loss(velocity, clip, noise, times), expected, 1e-4, 1e-5));
}

TEST_F(RectifiedFlowTest, StaysBoundedAtTheCleanEnd) {
    const auto loss = ofClip.loss(clip + 1, clip, noise, at::zeros({4}));
    EXPECT_NEAR(loss.max().item<float>(), 1 / (RectifiedFlow::kLeastTime * RectifiedFlow::kLeastTime), 1e-2);
}

TEST(DrawTimes, FollowTheLogitNormal) {
    config::TrainConfig config;
    const auto times = drawTimes(config, 1, 0, 20000);
    const auto logits = at::log((1 - times) / times);
    EXPECT_NEAR(logits.mean().item<float>(), config.diffusion.timestep_mean, 0.03);
    EXPECT_NEAR(logits.std().item<float>(), config.diffusion.timestep_std, 0.03);
}

TEST(DrawTimes, DependOnStepAndSampleNotOnHowTheBatchIsCut) {
    const config::TrainConfig config;
    const auto whole = drawTimes(config, 5, 0, 16);
    EXPECT_TRUE(at::equal(at::cat({drawTimes(config, 5, 0, 4), drawTimes(config, 5, 4, 12)}), whole));
    EXPECT_FALSE(at::equal(drawTimes(config, 6, 0, 16), whole));
}

// For data N(mean, s²) the flow's velocity is known: with v(t) = (1-t)²s² + t² the variance of z(t),
// E[e - x | z] = -mean + (t - (1-t)s²) / v(t) · (z - (1-t)·mean), and the exact map sends noise n to mean +
// s·n.
class SamplerTest : public testing::TestWithParam<const char*> {};

double sampledError(const std::string& sampler, std::int64_t steps) {
    const double mean = 1.5, deviation = 0.4, variance = deviation * deviation;
    const auto velocity = [&](const at::Tensor& z, double t) {
        const double v = (1 - t) * (1 - t) * variance + t * t;
        return (z - (1 - t) * mean) * ((t - (1 - t) * variance) / v) - mean;
    };
    const auto noise = normalTensor(4, {1000});
    return (makeSampler(sampler)->sample(noise, velocity, steps) - (mean + deviation * noise))
        .abs()
        .mean()
        .item<double>();
}

TEST_P(SamplerTest, MapsNoiseToTheDataOfAGaussian) {
    EXPECT_LT(sampledError(GetParam(), 400), 0.01);
}

TEST_P(SamplerTest, ConvergesAtLeastAtFirstOrder) {
    const double ratio = sampledError(GetParam(), 40) / sampledError(GetParam(), 80);
    EXPECT_GE(std::log2(ratio), 0.9);
}

INSTANTIATE_TEST_SUITE_P(All, SamplerTest, testing::Values("euler"));

TEST(Sampler, OfUnknownNameIsRefused) {
    EXPECT_THROW(makeSampler("magic"), InputError);
}

TEST(Guidance, OneIsTheCaptionedFieldAndMoreGoesBeyondIt) {
    const auto with = at::tensor({2.0F}), without = at::tensor({1.0F});
    EXPECT_EQ(guided(with, without, 1).item<float>(), 2);
    EXPECT_EQ(guided(with, without, 0).item<float>(), 1);
    EXPECT_EQ(guided(with, without, 3).item<float>(), 4);
}

}  // namespace
}  // namespace dailies::trainer
