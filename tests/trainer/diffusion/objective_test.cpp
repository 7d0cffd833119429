#include "core/base/error.h"
#include "tests/trainer/diffusion/objective_configs.h"
#include "trainer/tensors/random_tensor.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

namespace dailies::trainer {
namespace {

constexpr std::int64_t kTokens = 64;

double largest(const at::Tensor& x) {
    return x.abs().max().item<double>();
}

config::TrainConfig::Diffusion configOf(const std::string& objective, const std::string& prediction) {
    config::TrainConfig::Diffusion config;
    config.objective = objective;
    config.prediction = prediction;
    return config;
}

class EveryObjective : public testing::TestWithParam<NamedObjective> {
protected:
    std::unique_ptr<Objective> objective = GetParam().make();
    at::Tensor quantiles = at::linspace(0.03, 0.97, 16, at::kDouble);
    at::Tensor levels = objective->levels(quantiles, kTokens);
    at::Tensor clip = normalTensor(1, {16, 2, 3, 3, 3});
    at::Tensor noise = normalTensor(2, {16, 2, 3, 3, 3});
    at::Tensor noised = objective->addNoise(clip, noise, levels);

    /// The output of a network that knows clip and noise.
    at::Tensor perfect() const {
        if (predictionOf(GetParam().config) == Prediction::clip) return clip;
        // clean is affine in the output: where it vanishes for 0 and how it grows gives the output for the
        // clip
        const auto atZero = objective->predictClean(at::zeros_like(clip), noised, levels);
        const auto slope = objective->predictClean(at::ones_like(clip), noised, levels) - atZero;
        return (clip - atZero) / slope;
    }
};

TEST_P(EveryObjective, MixesClipAndNoiseByItsAlphaAndSigma) {
    for (std::int64_t i = 0; i < 16; ++i) {
        const auto point = objective->point(levels[i].item<double>());
        EXPECT_LT(largest(noised[i] - point.alpha * clip[i] - point.sigma * noise[i]),
                  1e-5 * (1 + point.sigma));
    }
}

TEST_P(EveryObjective, LevelsRiseWithTheQuantileAndSoDoesTheShareOfNoise) {
    for (std::int64_t i = 1; i < 16; ++i) {
        EXPECT_GT(levels[i].item<float>(), levels[i - 1].item<float>());
        EXPECT_GT(objective->point(levels[i].item<double>()).noiseFraction(),
                  objective->point(levels[i - 1].item<double>()).noiseFraction());
    }
}

TEST_P(EveryObjective, FindsThePointOfAShareOfNoise) {
    for (const double share : {0.05, 0.3, 0.5, 0.9})
        EXPECT_NEAR(objective->pointAtNoiseFraction(share).noiseFraction(), share, 1e-9);
}

TEST_P(EveryObjective, SamplesFromNoiseToTheClip) {
    for (const std::int64_t steps : {1, 2, 7, 50}) {
        const auto grid = objective->grid(steps, kTokens);
        ASSERT_EQ(grid.size(), static_cast<std::size_t>(steps + 1));
        EXPECT_GT(grid.front().noiseFraction(), 0.9);
        EXPECT_EQ(grid.back().sigma, 0);
        EXPECT_EQ(grid.back().alpha, 1);
        for (std::size_t i = 1; i < grid.size(); ++i)
            EXPECT_LT(grid[i].noiseFraction(), grid[i - 1].noiseFraction());
    }
}

TEST_P(EveryObjective, APerfectOutputCostsNothingAndMeansTheClip) {
    const auto output = perfect();
    EXPECT_LT(largest(objective->predictClean(output, noised, levels) - clip), 1e-3);
    EXPECT_LT(largest(objective->loss(output, clip, noise, levels)), 1e-6);
}

TEST_P(EveryObjective, BothPredictionsCostTheSameForTheSameGuess) {
    auto other = GetParam().config;
    other.prediction = other.prediction == "clip" ? "velocity" : "clip";
    const auto guess = perfect() + 0.1 * normalTensor(3, clip.sizes());
    const auto means = objective->predictClean(guess, noised, levels);
    const auto twin = makeObjective(other);
    auto twinGuess = means;
    if (predictionOf(other) == Prediction::velocity) {
        const auto atZero = twin->predictClean(at::zeros_like(clip), noised, levels);
        twinGuess = (means - atZero) / (twin->predictClean(at::ones_like(clip), noised, levels) - atZero);
    }
    const auto cost = objective->loss(guess, clip, noise, levels),
               twinCost = twin->loss(twinGuess, clip, noise, levels);
    EXPECT_LT(largest(cost / twinCost - 1), 2e-3);
}

TEST_P(EveryObjective, StaysFiniteAtTheEndsOfItsPath) {
    const auto ends = objective->levels(at::tensor({1e-12, 1 - 1e-12}, at::kDouble), kTokens);
    const auto both = at::cat({clip.slice(0, 0, 2)}), e = noise.slice(0, 0, 2);
    const auto z = objective->addNoise(both, e, ends);
    for (const auto& x : {objective->networkInput(z, ends), objective->networkTimes(ends),
                          objective->predictClean(z, z, ends), objective->loss(z, both, e, ends)})
        EXPECT_TRUE(at::isfinite(x).all().item<bool>());
}

TEST_P(EveryObjective, ShowsTheNetworkNumbersOfDeviationAboutOne) {
    const auto input = objective->networkInput(noised, levels);
    for (std::int64_t i = 0; i < 16; ++i) {
        const double deviation = input[i].std().item<double>();
        EXPECT_GT(deviation, 0.45);
        EXPECT_LT(deviation, 1.6);
    }
    EXPECT_LT(largest(objective->networkTimes(levels)), 2);
}

INSTANTIATE_TEST_SUITE_P(All, EveryObjective, testing::ValuesIn(everyObjective()),
                         [](const auto& instance) { return nameOf(instance.param); });

TEST(Objective, OfUnknownNameIsRefused) {
    EXPECT_THROW(makeObjective(configOf("magic", "clip")), InputError);
}

TEST(RectifiedFlow, JoinsClipAndNoiseByAStraightPath) {
    const auto flow = makeObjective(configOf("rectified_flow", "velocity"));
    const auto clip = normalTensor(1, {4, 3}), noise = normalTensor(2, {4, 3});
    EXPECT_TRUE(at::equal(flow->addNoise(clip, noise, at::zeros({4})), clip));
    EXPECT_TRUE(at::equal(flow->addNoise(clip, noise, at::ones({4})), noise));
    EXPECT_EQ(largest(flow->loss(noise - clip, clip, noise, at::full({4}, 0.3))), 0);
}

TEST(RectifiedFlow, StaysBoundedAtTheCleanEnd) {
    const auto flow = makeObjective(configOf("rectified_flow", "clip"));
    const auto clip = at::zeros({4, 3});
    EXPECT_NEAR(largest(flow->loss(clip + 1, clip, clip, at::zeros({4}))), 400, 1e-2);
}

TEST(RectifiedFlow, TimesFollowTheLogitNormal) {
    const auto config = configOf("rectified_flow", "clip");
    const auto quantiles = (at::arange(10000, at::kDouble) + 0.5) / 10000;
    const auto times = makeObjective(config)->levels(quantiles, kTokens);
    const auto logits = at::log((1 - times) / times);
    EXPECT_NEAR(logits.mean().item<double>(), config.timestep_mean, 1e-3);
    EXPECT_NEAR(logits.std().item<double>(), config.timestep_std, 1e-3);
}

TEST(RectifiedFlow, UniformAndModeSamplingCoverAllTimes) {
    auto config = configOf("rectified_flow", "clip");
    const auto quantiles = at::tensor({0.0, 0.25, 0.5, 0.75, 1.0}, at::kDouble);
    config.timesteps = "uniform";
    EXPECT_LT(largest(makeObjective(config)->levels(quantiles, kTokens) - quantiles), 1e-7);
    config.timesteps = "mode";
    const auto times = makeObjective(config)->levels(quantiles, kTokens);
    EXPECT_NEAR(times[0].item<double>(), 0, 1e-7);
    EXPECT_NEAR(times[4].item<double>(), 1, 1e-7);
    EXPECT_NEAR(times[2].item<double>(), 0.5, 1e-7);
    EXPECT_GT(times[1].item<double>(), 0.25) << "a positive scale draws more times in the middle";
    EXPECT_LT(times[3].item<double>(), 0.75);
}

TEST(RectifiedFlow, DrawsARangeOfTimesAsItDoesWithoutIt) {
    for (const auto* timesteps : {"logit_normal", "uniform", "mode"})
        for (const double shift : {1.0, 5.0}) {
            auto config = configOf("rectified_flow", "clip");
            config.timesteps = timesteps;
            config.shift = shift;
            const auto quantiles = (at::arange(20000, at::kDouble) + 0.5) / 20000;
            const auto all = makeObjective(config)->levels(quantiles, kTokens);
            config.timestep_from = 0.4;
            config.timestep_to = 0.875;
            const auto some = makeObjective(config)->levels(quantiles, kTokens);
            EXPECT_GE(some.min().item<double>(), 0.4 - 1e-6) << timesteps;
            EXPECT_LE(some.max().item<double>(), 0.875 + 1e-6) << timesteps;
            // the same density: the same share of what lies in the range lies below each time of it
            const auto within = all.masked_select((all >= 0.4).logical_and(all <= 0.875));
            for (const double time : {0.5, 0.7, 0.8}) {
                const auto below = [&](const at::Tensor& x) {
                    return (x < time).to(at::kDouble).mean().item<double>();
                };
                EXPECT_NEAR(below(some), below(within), 2e-3) << timesteps << ", shift " << shift;
            }
        }
}

TEST(RectifiedFlow, ShiftsTrainingAndSamplingAlike) {
    auto config = configOf("rectified_flow", "clip");
    config.timesteps = "uniform";
    config.shift = 3;
    const auto fixed = makeObjective(config);
    EXPECT_NEAR(fixed->levels(at::tensor({0.5}, at::kDouble), kTokens).item<double>(), 0.75, 1e-7);
    EXPECT_NEAR(fixed->grid(4, kTokens)[2].level, 0.75, 1e-12);
    config.shift = 1;
    config.shift_tokens = 256;
    const auto byTokens = makeObjective(config);
    EXPECT_NEAR(byTokens->grid(4, 256)[2].level, 0.5, 1e-12);
    EXPECT_NEAR(byTokens->grid(4, 9 * 256)[2].level, 0.75, 1e-12) << "nine times the tokens shift by 3";
    EXPECT_NEAR(byTokens->levels(at::tensor({0.5}, at::kDouble), 9 * 256).item<double>(), 0.75, 1e-7);
}

TEST(RectifiedFlow, GrowsItsShiftAndStretchesASamplersStepsAsLtxVideoDoes) {
    auto config = configOf("rectified_flow", "velocity");
    config.timesteps = "uniform";
    config.shift = std::exp(0.95);
    config.shift_tokens = 1024;
    config.shift_growth = 1.1 / 3.072;
    const auto grown = makeObjective(config);
    for (const auto& [tokens, logarithm] : {std::pair{1024, 0.95}, {2560, 1.5}, {4096, 2.05}}) {
        const double shift = std::exp(logarithm), middle = shift / (1 + shift);
        EXPECT_NEAR(grown->grid(4, tokens)[2].level, middle, 1e-12) << tokens;
        EXPECT_NEAR(grown->levels(at::tensor({0.5}, at::kDouble), tokens).item<double>(), middle, 1e-7);
    }
    config.shift_terminal = 0.1;
    const auto stretched = makeObjective(config)->grid(4, 4096);
    EXPECT_EQ(stretched[0].level, 1);
    EXPECT_NEAR(stretched[3].level, 0.1, 1e-12);
    EXPECT_EQ(stretched[4].level, 0);
    EXPECT_EQ(makeObjective(config)->grid(1, 4096)[0].level, 1) << "one step has nothing to stretch";
}

TEST(Edm, ThePapersWeightTimesTheSquareOfCOutIsOne) {
    auto config = configOf("edm", "velocity");
    config.sigma_data = 0.5;
    const auto edm = makeObjective(config);
    for (const double s : {0.002, 0.1, 0.5, 3.0, 80.0}) {
        const auto level = at::full({1}, s, at::kFloat);
        const auto one = at::ones({1, 1}), zero = at::zeros({1, 1});
        const double out = edm->predictClean(one, zero, level).item<double>();
        const double skip = edm->predictClean(zero, one, level).item<double>();
        const double weight = (s * s + 0.25) / (s * 0.5 * s * 0.5);
        EXPECT_NEAR(weight * out * out, 1, 1e-5) << s;
        EXPECT_NEAR(skip, 0.25 / (s * s + 0.25), 1e-6) << s;
        EXPECT_NEAR(edm->networkInput(one, level).item<double>() * std::sqrt(s * s + 0.25), 1, 1e-6) << s;
        EXPECT_NEAR(edm->networkTimes(level).item<double>(), std::log(s) / 4, 1e-6) << s;
        // so the weighted error of D is the plain error of F
        const auto clip = at::full({1, 1}, 0.7), noise = at::full({1, 1}, -1.3);
        const auto noised = edm->addNoise(clip, noise, level);
        const auto guess = at::full({1, 1}, 0.2);
        const double error = (edm->predictClean(guess, noised, level) - clip).item<double>();
        EXPECT_NEAR(edm->loss(guess, clip, noise, level).item<double>() / (weight * error * error), 1, 2e-3)
            << s;
    }
}

TEST(Edm, TargetHasDeviationOneAtEveryLevel) {
    const auto edm = makeObjective(configOf("edm", "velocity"));
    const auto clip = normalTensor(1, {5, 4000}), noise = normalTensor(2, {5, 4000});
    const auto levels = at::tensor({0.002F, 0.1F, 1.0F, 10.0F, 80.0F});
    const auto cost = edm->loss(at::zeros_like(clip), clip, noise, levels);
    EXPECT_LT(largest(cost - 1), 0.1) << cost;
}

TEST(Edm, DrawsALogNormal) {
    auto config = configOf("edm", "velocity");
    config.sigma_mean = -1.2;
    config.sigma_std = 1.2;
    const auto quantiles = (at::arange(10000, at::kDouble) + 0.5) / 10000;
    const auto logarithms = at::log(makeObjective(config)->levels(quantiles, kTokens));
    EXPECT_NEAR(logarithms.mean().item<double>(), -1.2, 1e-3);
    EXPECT_NEAR(logarithms.std().item<double>(), 1.2, 1e-3);
}

TEST(VPrediction, KeepsTheVarianceAndEndsAtPureNoise) {
    for (const auto* schedule : {"linear", "scaled_linear", "cosine"}) {
        auto config = configOf("v_prediction", "velocity");
        config.noise_schedule = schedule;
        const auto rescaled = makeObjective(config);
        EXPECT_EQ(rescaled->point(1).alpha, 0) << schedule;
        config.zero_terminal_snr = false;
        const auto published = makeObjective(config);
        EXPECT_GT(published->point(1).alpha, 0) << schedule;
        EXPECT_NEAR(rescaled->point(0.001).alpha, published->point(0.001).alpha, 1e-12);
        for (const double t : {0.0, 0.0005, 0.1, 0.55555, 1.0}) {
            const auto point = rescaled->point(t);
            EXPECT_NEAR(point.alpha * point.alpha + point.sigma * point.sigma, 1, 1e-12);
        }
    }
}

TEST(VPrediction, TrainsAtTheThousandStepsOfTheSchedule) {
    auto config = configOf("v_prediction", "velocity");
    config.timesteps = "uniform";
    const auto levels =
        makeObjective(config)->levels(at::tensor({1e-9, 0.0005, 0.0015, 0.9999, 1.0}, at::kDouble), kTokens);
    EXPECT_LT(largest(levels * 1000 - at::tensor({1.0, 1.0, 2.0, 1000.0, 1000.0})), 1e-3);
}

TEST(VPrediction, DrawsItsTimesAsRectifiedFlowDoes) {
    const auto quantiles = at::linspace(0.01, 0.99, 99, at::kDouble);
    for (const auto* timesteps : {"logit_normal", "uniform", "mode"}) {
        auto ours = configOf("v_prediction", "clip"), flow = configOf("rectified_flow", "clip");
        ours.timesteps = flow.timesteps = timesteps;
        const auto difference =
            makeObjective(ours)->levels(quantiles, kTokens) - makeObjective(flow)->levels(quantiles, kTokens);
        EXPECT_GE(difference.min().item<double>(), -1e-6) << timesteps << ": steps are rounded up";
        EXPECT_LE(difference.max().item<double>(), 0.001 + 1e-6) << timesteps;
    }
}

TEST(VPrediction, WeighsErrorsByMinSnr) {
    auto config = configOf("v_prediction", "velocity");
    config.min_snr_gamma = 5;
    const auto weighted = makeObjective(config);
    config.min_snr_gamma = 0;
    const auto plain = makeObjective(config);
    const auto clip = normalTensor(1, {1, 50}), noise = normalTensor(2, {1, 50}), output = clip * 0;
    for (const double t : {0.01, 0.2, 0.5, 0.9, 1.0}) {
        const auto point = plain->point(t);
        const double snr = point.alpha * point.alpha / (point.sigma * point.sigma);
        const auto level = at::full({1}, t, at::kFloat);
        EXPECT_NEAR(weighted->loss(output, clip, noise, level).item<double>(),
                    plain->loss(output, clip, noise, level).item<double>() * std::min(snr, 5.0) / (snr + 1),
                    1e-4)
            << t;
    }
    config.min_snr_gamma = 5;
    config.snr_plus_one = true;  // Animate Anyone: pure noise counts fully
    const auto raised = makeObjective(config);
    for (const double t : {0.01, 0.2, 0.5, 0.9, 1.0}) {
        const auto point = plain->point(t);
        const double snr = point.alpha * point.alpha / (point.sigma * point.sigma);
        const auto level = at::full({1}, t, at::kFloat);
        EXPECT_NEAR(
            raised->loss(output, clip, noise, level).item<double>(),
            plain->loss(output, clip, noise, level).item<double>() * std::min(snr + 1, 5.0) / (snr + 1), 1e-4)
            << t;
    }
}

}  // namespace
}  // namespace dailies::trainer
