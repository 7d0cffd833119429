#include "trainer/diffusion/noise_deciles.h"
#include "trainer/diffusion/noise_quantiles.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <set>

namespace dailies::trainer {
namespace {

config::TrainConfig drawing(bool stratified) {
    config::TrainConfig config;
    config.diffusion.stratified = stratified;
    return config;
}

class Quantiles : public testing::TestWithParam<bool> {};

TEST_P(Quantiles, DependOnStepAndSampleNotOnHowTheBatchIsCut) {
    const auto config = drawing(GetParam());
    const auto whole = drawQuantiles(config, 5, 0, 24, 24);
    for (const std::int64_t ranks : {2, 3, 8, 24}) {
        std::vector<at::Tensor> parts;
        for (std::int64_t rank = 0; rank < ranks; ++rank)
            parts.push_back(drawQuantiles(config, 5, rank * 24 / ranks, 24 / ranks, 24));
        EXPECT_TRUE(at::equal(at::cat(parts), whole)) << ranks << " ranks";
    }
    EXPECT_FALSE(at::equal(drawQuantiles(config, 6, 0, 24, 24), whole));
}

TEST_P(Quantiles, AreSpreadEvenlyOverManySteps) {
    const auto config = drawing(GetParam());
    std::vector<at::Tensor> steps;
    for (std::int64_t step = 1; step <= 1000; ++step) steps.push_back(drawQuantiles(config, step, 0, 20, 20));
    const auto all = at::stack(steps);
    const auto histogram = at::histc(all.flatten(), 10, 0, 1) / 20000;
    EXPECT_LT((histogram - 0.1).abs().max().item<double>(), 0.01);
    // and so they are for each place of the batch, so that no bucket of clips gets all the noise
    EXPECT_LT((all.mean(0) - 0.5).abs().max().item<double>(), 0.05);
    EXPECT_TRUE(((all > 0) & (all < 1)).all().item<bool>());
}

INSTANTIATE_TEST_SUITE_P(All, Quantiles, testing::Bool(),
                         [](const auto& instance) { return instance.param ? "Stratified" : "Independent"; });

TEST(Quantiles, StratifiedPutOneSampleInEachStratum) {
    for (const std::int64_t count : {1, 2, 7, 64}) {
        const auto quantiles = drawQuantiles(drawing(true), 3, 0, count, count);
        std::set<std::int64_t> strata;
        for (std::int64_t i = 0; i < count; ++i)
            strata.insert(
                static_cast<std::int64_t>(quantiles[i].item<double>() * static_cast<double>(count)));
        EXPECT_EQ(strata.size(), static_cast<std::size_t>(count));
    }
}

TEST(Deciles, HoldTheMeanLossOfTheirClips) {
    const auto quantiles = at::tensor({0.0, 0.05, 0.1, 0.95, 0.999999}, at::kDouble);
    const auto losses = at::tensor({1.0F, 3.0F, 5.0F, 7.0F, 9.0F});
    NoiseDeciles deciles;
    deciles.add(NoiseDeciles::ofClips(losses, quantiles));
    EXPECT_EQ(deciles.means(), (std::map<std::string, double>{
                                   {"loss/decile_0", 2}, {"loss/decile_1", 5}, {"loss/decile_9", 8}}));
}

TEST(Deciles, OfRanksAddUpToThoseOfOneProcess) {
    const auto quantiles = at::linspace(0.01, 0.99, 40, at::kDouble);
    const auto losses = at::linspace(0.5, 2, 40);
    NoiseDeciles whole, ranks;
    whole.add(NoiseDeciles::ofClips(losses, quantiles));
    auto sum = at::zeros({2 * NoiseDeciles::kCount});
    for (std::int64_t rank = 0; rank < 4; ++rank)
        sum += NoiseDeciles::ofClips(losses.slice(0, 10 * rank, 10 * rank + 10),
                                     quantiles.slice(0, 10 * rank, 10 * rank + 10));
    ranks.add(sum);
    double total = 0;
    for (const auto& [name, mean] : whole.means()) {
        EXPECT_NEAR(ranks.means().at(name), mean, 1e-6);
        total += mean * 4;
    }
    EXPECT_NEAR(total, losses.sum().item<double>(), 1e-4) << "every clip counts once";
}

TEST(Deciles, SurviveACheckpoint) {
    NoiseDeciles deciles;
    deciles.add(NoiseDeciles::ofClips(at::tensor({0.1F, 0.7F}), at::tensor({0.31, 0.32}, at::kDouble)));
    const auto text = deciles.toJson().dump();
    auto restored = NoiseDeciles::fromJson(Json::parse(text));
    EXPECT_EQ(restored.means(), deciles.means());
    restored.add(NoiseDeciles::ofClips(at::tensor({1.0F}), at::tensor({0.35}, at::kDouble)));
    EXPECT_NEAR(restored.means().at("loss/decile_3"), 0.6, 1e-6);
}

}  // namespace
}  // namespace dailies::trainer
