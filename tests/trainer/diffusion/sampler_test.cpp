#include "trainer/diffusion/samplers/sampler.h"

#include "core/base/error.h"
#include "tests/trainer/diffusion/objective_configs.h"
#include "trainer/diffusion/samplers/guidance.h"
#include "trainer/tensors/random_tensor.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <cstdio>

namespace dailies::trainer {
namespace {

constexpr double kMean = 0.7, kDeviation = 0.6;
const std::vector<const char*> kSamplers = {"euler", "heun", "dpmpp_2m", "unipc"};

/// For data N(mean, s²), z at a point has variance v = alpha²·s² + sigma², and the clip expected at z is
/// known.
at::Tensor gaussianClean(const at::Tensor& z, const PathPoint& p) {
    const double variance = kDeviation * kDeviation;
    const double v = p.alpha * p.alpha * variance + p.sigma * p.sigma;
    return kMean + (z - p.alpha * kMean) * (p.alpha * variance / v);
}

/// Where the flow of that data carries z: its place among the z of a point stays.
at::Tensor gaussianFlow(const at::Tensor& z, const PathPoint& from, const PathPoint& to) {
    const auto deviation = [](const PathPoint& p) { return std::hypot(p.alpha * kDeviation, p.sigma); };
    return to.alpha * kMean + (z - from.alpha * kMean) * (deviation(to) / deviation(from));
}

at::Tensor startNoise() {
    return normalTensor(4, {500}).to(at::kDouble);
}

double errorOf(const Sampler& sampler, const std::vector<PathPoint>& grid) {
    const auto noise = startNoise();
    const auto exact = gaussianFlow(noise * grid.front().sigma, grid.front(), grid.back());
    return (sampler.sample(noise, gaussianClean, grid) - exact).abs().mean().item<double>();
}

/// Evenly spaced in the share of noise, from almost all to little: the error of a step shrinks with its size
/// everywhere.
std::vector<PathPoint> evenGrid(const Objective& objective, std::int64_t steps) {
    std::vector<PathPoint> points;
    for (std::int64_t i = steps; i >= 0; --i)
        points.push_back(objective.pointAtNoiseFraction(0.05 + 0.85 * static_cast<double>(i) /
                                                                   static_cast<double>(steps)));
    return points;
}

using Combination = std::tuple<NamedObjective, const char*>;

class EverySampler : public testing::TestWithParam<Combination> {
protected:
    std::unique_ptr<Objective> objective = std::get<0>(GetParam()).make();
    std::unique_ptr<Sampler> sampler = makeSampler(std::get<1>(GetParam()));
};

TEST_P(EverySampler, ConvergesAtItsOrder) {
    const double coarse = errorOf(*sampler, evenGrid(*objective, 64));
    const double fine = errorOf(*sampler, evenGrid(*objective, 128));
    const double order = std::log2(coarse / fine);
    RecordProperty("order", std::to_string(order));
    if (std::string(std::get<1>(GetParam())) == "euler") {
        EXPECT_GE(order, 0.9);
        EXPECT_LE(order, 1.2);
    } else {
        EXPECT_GE(order, 1.9);
    }
}

TEST_P(EverySampler, ReachesTheSameClipAsEveryOtherWithManySteps) {
    const auto grid = objective->grid(1000, 64);
    const auto noise = startNoise();
    const auto exact = gaussianFlow(noise * grid.front().sigma, grid.front(), grid.back());
    const auto clip = sampler->sample(noise, gaussianClean, grid);
    EXPECT_LT((clip - exact).abs().max().item<double>(), 0.01);
}

TEST_P(EverySampler, FindsASingleClipInAnyNumberOfSteps) {
    const auto clip = normalTensor(9, {2, 3}), noise = normalTensor(8, {2, 3});
    const auto knows = [&](const at::Tensor&, const PathPoint&) { return clip; };
    for (const std::int64_t steps : {1, 2, 3, 10}) {
        const auto found = sampler->sample(noise, knows, objective->grid(steps, 64));
        EXPECT_LT((found - clip).abs().max().item<double>(), 1e-5) << steps << " steps";
    }
}

TEST_P(EverySampler, StaysFiniteAndOfTheNoisesSizeAndType) {
    const auto noise = normalTensor(8, {2, 4, 3});
    for (const std::int64_t steps : {1, 2, 5, 30}) {
        const auto clip = sampler->sample(noise, gaussianClean, objective->grid(steps, 64));
        EXPECT_TRUE(at::isfinite(clip).all().item<bool>()) << steps << " steps";
        EXPECT_EQ(clip.sizes(), noise.sizes());
        EXPECT_EQ(clip.scalar_type(), noise.scalar_type());
    }
}

TEST_P(EverySampler, AsksOnlyForPointsWithNoise) {
    std::int64_t evaluations = 0;
    const auto counts = [&](const at::Tensor& z, const PathPoint& p) {
        ++evaluations;
        EXPECT_GT(p.sigma, 0);
        return gaussianClean(z, p);
    };
    sampler->sample(startNoise(), counts, objective->grid(10, 64));
    EXPECT_EQ(evaluations, std::string(std::get<1>(GetParam())) == "heun" ? 19 : 10);
}

INSTANTIATE_TEST_SUITE_P(All, EverySampler,
                         testing::Combine(testing::ValuesIn(everyObjective()), testing::ValuesIn(kSamplers)),
                         [](const auto& instance) {
                             return nameOf(std::get<0>(instance.param)) + "_" + std::get<1>(instance.param);
                         });

TEST(Sampler, OfUnknownNameIsRefused) {
    EXPECT_THROW(makeSampler("magic"), InputError);
}

/// The form found in a published trainer: its second evaluation is of the step's start again.
at::Tensor heunThatIsEuler(const at::Tensor& noise, const std::vector<PathPoint>& grid) {
    auto z = noise * grid.front().sigma;
    for (std::size_t i = 0; i + 1 < grid.size(); ++i) {
        const auto& from = grid[i];
        const auto& to = grid[i + 1];
        const auto slope = (z - gaussianClean(z, from)) / from.sigma;
        const auto again = (z - gaussianClean(z, from)) / from.sigma;
        z = z + (slope + again) / 2 * (to.sigma - from.sigma);
    }
    return z;
}

TEST(Sampler, HeunIsOfSecondOrderWhereAPublishedOneHasEulersError) {
    config::TrainConfig::Diffusion config;
    config.objective = "edm";
    const auto edm = makeObjective(config);
    const auto noise = startNoise();
    std::printf(
        "error on a Gaussian, EDM's grid\n steps      euler  published       heun   dpmpp_2m      unipc\n");
    for (const std::int64_t steps : {10, 20, 35, 70}) {
        const auto grid = edm->grid(steps, 64);
        const auto exact = gaussianFlow(noise * grid.front().sigma, grid.front(), grid.back());
        const auto published = (heunThatIsEuler(noise, grid) - exact).abs().mean().item<double>();
        const double euler = errorOf(*makeSampler("euler"), grid), heun = errorOf(*makeSampler("heun"), grid);
        std::printf("%6lld %10.2e %10.2e %10.2e %10.2e %10.2e\n", static_cast<long long>(steps), euler,
                    published, heun, errorOf(*makeSampler("dpmpp_2m"), grid),
                    errorOf(*makeSampler("unipc"), grid));
        EXPECT_NEAR(published / euler, 1, 1e-9);
        EXPECT_LT(heun, steps < 35 ? euler : euler / 5);
    }
}

TEST(Guidance, OfOneIsTheCaptionedClipAndMoreGoesBeyondIt) {
    const auto captioned = [](const at::Tensor& z, const PathPoint&) { return z * 0 + 2; };
    const auto both = [](const at::Tensor& z, const PathPoint&) {
        EXPECT_EQ(z.size(0), 4) << "each clip once with and once without its caption";
        return at::cat({at::full({2, 3}, 2.0F), at::full({2, 3}, 1.0F)});
    };
    const auto clip = [&](double scale) {
        const auto scaleAt = [&](const PathPoint&) { return scale; };
        return guided(scaleAt, captioned, both)(at::zeros({2, 3}), {0.5, 0.5, 0.5}).mean().item<double>();
    };
    EXPECT_EQ(clip(1), 2);
    EXPECT_EQ(clip(0), 1);
    EXPECT_EQ(clip(3), 4);
}

TEST(Guidance, GrowsEvenlyOverTheFramesWhereTheFirstHasLess) {
    const auto captioned = [](const at::Tensor& z, const PathPoint&) { return z * 0 + 1; };
    const auto both = [](const at::Tensor&, const PathPoint&) {
        return at::cat({at::ones({1, 5, 2}), at::zeros({1, 5, 2})});
    };
    const auto scaleAt = [](const PathPoint&) { return 3.0; };
    const auto clip = guided(scaleAt, captioned, both, /*growth=*/0)(at::zeros({1, 5, 2}), {0.5, 0.5, 0.5});
    EXPECT_TRUE(at::equal(clip, at::linspace(1, 3, 5).view({1, 5, 1}).expand({1, 5, 2})));
    config::TrainConfig::Sampling sampling;
    sampling.guidance = 3;
    EXPECT_EQ(sampling.guidanceGrowth(), 1);
    sampling.first_guidance = 1;
    EXPECT_EQ(sampling.guidanceGrowth(), 0);
    sampling.first_guidance = 2;
    EXPECT_EQ(sampling.guidanceGrowth(), 0.5);
}

TEST(Guidance, ActsInItsIntervalOnly) {
    const Guidance guidance{3, 0.2, 0.8};
    for (const auto& objective : everyObjective()) {
        const auto made = objective.make();
        EXPECT_EQ(guidance.scaleAt(made->pointAtNoiseFraction(0.9)), 1) << objective.name;
        EXPECT_EQ(guidance.scaleAt(made->pointAtNoiseFraction(0.5)), 3) << objective.name;
        EXPECT_EQ(guidance.scaleAt(made->pointAtNoiseFraction(0.1)), 1) << objective.name;
    }
}

}  // namespace
}  // namespace dailies::trainer
