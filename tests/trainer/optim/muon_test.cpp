#include "trainer/optim/muon.h"

#include "core/base/error.h"
#include "trainer/tensors/random_tensor.h"

#include <gtest/gtest.h>
#include <torch/types.h>

namespace dailies::trainer {
namespace {

TEST(Orthogonalised, SingularValuesAreNearOneWhateverTheScale) {
    for (const auto& [rows, columns] : {std::pair{40, 90}, {90, 40}})
        for (const double scale : {1e-4, 1.0, 1e3}) {
            const auto matrix = normalTensor(5, {rows, columns}) * scale;
            const auto values = at::linalg_svdvals(orthogonalised(matrix).to(at::kFloat));
            EXPECT_GT(values.min().item<double>(), 0.6) << rows << " " << scale;
            EXPECT_LT(values.max().item<double>(), 1.3) << rows << " " << scale;
        }
    EXPECT_EQ(orthogonalised(at::zeros({3, 4})).abs().max().item<double>(), 0)
        << "nothing is divided by zero";
}

TEST(MuonOptimizer, StepsAreAsLargeAsAdamsWhateverTheGradient) {
    for (const double scale : {1e-6, 1.0}) {
        Params weights;
        weights.add("blocks.0.mlp_in.weight", at::zeros({256, 64}));
        config::TrainConfig::Optimizer config;
        config.weight_decay = 0;
        Muon(weights, config).step({normalTensor(3, {256, 64}) * scale}, 0.01);
        const auto size = weights.tensors()[0].square().mean().sqrt().item<double>();
        EXPECT_NEAR(size / (0.01 * 0.2), 1, 0.2);
    }
}

TEST(MuonOptimizer, MatricesThatShareAWeightAreUpdatedByThemselves) {
    config::TrainConfig::Optimizer config;
    for (const std::int64_t keys : {48, 16}) {  // of as many heads, and of fewer
        const auto gradient = normalTensor(7, {48 + 2 * keys, 48});
        Params joined, apart;
        joined.add("blocks.0.qkv.weight", normalTensor(1, {48 + 2 * keys, 48}));
        std::vector<at::Tensor> gradients;
        std::int64_t first = 0;
        for (const auto rows : {std::int64_t{48}, keys, keys}) {
            // any name that holds one matrix
            apart.add(std::to_string(first) + ".attention_out.weight",
                      joined.tensors()[0].narrow(0, first, rows).clone());
            gradients.push_back(gradient.narrow(0, first, rows).clone());
            first += rows;
        }
        Muon(joined, config).step({gradient}, 0.1);
        Muon(apart, config).step(gradients, 0.1);
        EXPECT_TRUE(at::equal(joined.tensors()[0], at::cat(apart.tensors())));
    }
}

TEST(MuonOptimizer, LeavesTheRestToAdam) {
    Params weights, alone;
    for (auto* params : {&weights, &alone}) {
        params->add("patch.weight", normalTensor(2, {32, 12}));
        params->add("blocks.0.mlp_in.bias", normalTensor(4, {64}));
    }
    weights.add("blocks.0.mlp_in.weight", normalTensor(3, {64, 32}));
    config::TrainConfig::Optimizer config;
    Muon muon(weights, config);
    AdamW adam(alone, config);
    for (std::uint64_t step = 0; step < 3; ++step) {
        const std::vector gradients{normalTensor(10 + step, {32, 12}), normalTensor(20 + step, {64})};
        auto all = gradients;
        all.push_back(normalTensor(30 + step, {64, 32}));
        muon.step(all, 0.01);
        adam.step(gradients, 0.01);
    }
    EXPECT_TRUE(at::equal(weights["patch.weight"], alone["patch.weight"]));
    EXPECT_TRUE(at::equal(weights["blocks.0.mlp_in.bias"], alone["blocks.0.mlp_in.bias"]));
    EXPECT_TRUE(muon.state().contains("blocks.0.mlp_in.weight.moment"));
    EXPECT_FALSE(muon.state().contains("blocks.0.mlp_in.weight.second_moment"));
}

TEST(MuonOptimizer, GoesOnExactlyFromASavedState) {
    Params undisturbed;
    undisturbed.add("blocks.0.mlp_in.weight", normalTensor(3, {64, 32}));
    config::TrainConfig::Optimizer config;
    Muon first(undisturbed, config);
    const auto step = [](Muon& muon, std::uint64_t key) { muon.step({normalTensor(key, {64, 32})}, 0.01); };
    step(first, 1);
    const auto resumed = undisturbed.clone();
    const auto saved = first.state().clone();
    step(first, 2);
    Muon second(resumed, config);
    const auto state = second.state();
    for (const auto& name : state.names()) at::Tensor(state[name]).copy_(saved[name]);
    step(second, 2);
    EXPECT_TRUE(at::equal(resumed.tensors()[0], undisturbed.tensors()[0]));
}

TEST(MuonOptimizer, PartsOfWeightsAreRefused) {
    Params weights;
    weights.add("blocks.0.mlp_in.weight", at::zeros({8}));
    EXPECT_THROW(Muon(weights, {}, {{"blocks.0.mlp_in.weight", TensorRange{{4, 4}, 0, true}}}), InputError);
}

}  // namespace
}  // namespace dailies::trainer
