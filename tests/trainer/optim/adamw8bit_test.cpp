#include "trainer/optim/adamw8bit.h"

#include "trainer/optim/dynamic_map.h"
#include "trainer/tensors/random.h"
#include "trainer/tensors/random_tensor.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace dailies::trainer {
namespace {

TEST(DynamicMap, HoldsTwoHundredAndFiftySixNumbersWithZeroAndOne) {
    for (const auto* map : {&DynamicMap::ofSigned(), &DynamicMap::ofUnsigned()}) {
        const auto& values = map->values();
        EXPECT_TRUE(std::ranges::is_sorted(values));
        EXPECT_EQ(std::set<float>(values.begin(), values.end()).size(), 256U);
        EXPECT_EQ(values.back(), 1.0F);
        EXPECT_EQ(map->decode(map->encode(0)), 0.0F);
    }
    EXPECT_NEAR(DynamicMap::ofSigned().values().front(), -0.993, 1e-3);
    EXPECT_EQ(DynamicMap::ofUnsigned().values().front(), 0.0F);
    EXPECT_NEAR(DynamicMap::ofUnsigned().values()[1], 3.25e-7, 1e-9);
}

TEST(DynamicMap, EncodesToTheNearestOfAll) {
    for (const auto* map : {&DynamicMap::ofSigned(), &DynamicMap::ofUnsigned()}) {
        Random random(7);
        const double low = map->values().front() < 0 ? -1 : 0;
        for (int i = 0; i < 200'000; ++i) {
            const double decades = std::pow(10.0, -8 * random.uniform());
            const auto value = static_cast<float>(random.uniform(low, 1) * decades);
            const auto nearest = std::ranges::min_element(
                map->values(), {}, [&](float candidate) { return std::fabs(candidate - value); });
            ASSERT_NEAR(map->decode(map->encode(value)), *nearest, 1e-7 * std::fabs(value)) << value;
        }
        for (std::size_t code = 0; code < 256; ++code)
            EXPECT_EQ(map->encode(map->values()[code]), code) << "a value of the map stays itself";
        EXPECT_EQ(map->encode(1.0F), 255);
        EXPECT_EQ(map->encode(-1.0F), 0);
    }
}

TEST(AdamW8bit, ComputesTheSameInItsLoopAndInTensors) {
    for (const std::int64_t elements : {4096, 5000, 70'001}) {
        const auto start = normalTensor(1, {elements});
        QuantisedWeight loop(start.clone()), tensors(start.clone());
        for (int step = 1; step <= 20; ++step) {
            const auto gradient = normalTensor(static_cast<std::uint64_t>(step), {elements}) * 0.01;
            const AdamWSettings settings{
                0.01, 0.9, 0.95, 0.1, 1 - std::pow(0.9, step), 1 - std::pow(0.95, step)};
            updateOnCpu(loop, gradient, settings);
            updateGeneric(tensors, gradient, settings);
        }
        EXPECT_LT((loop.weight - tensors.weight).norm().item<double>(),
                  1e-3 * (loop.weight - start).norm().item<double>());
        EXPECT_TRUE(at::allclose(loop.firstScales, tensors.firstScales, 1e-3));
        EXPECT_LT((loop.firstCodes != tensors.firstCodes).to(at::kFloat).mean().item<double>(), 5e-3);
        EXPECT_LT((loop.secondCodes != tensors.secondCodes).to(at::kFloat).mean().item<double>(), 5e-3);
    }
}

TEST(AdamW8bit, KeepsTwoBytesAWeightAndSmallOnesInFull) {
    Params weights;
    weights.add("large.weight", normalTensor(1, {256, 256}));
    weights.add("small.bias", normalTensor(2, {256}));
    const AdamW8bit optimizer(weights, {});
    const auto state = optimizer.state();
    EXPECT_EQ(state["large.weight.first_moment"].scalar_type(), at::kByte);
    EXPECT_EQ(state["large.weight.second_moment"].sizes(), weights["large.weight"].sizes());
    EXPECT_EQ(state["large.weight.first_scale"].numel(), 256);
    EXPECT_EQ(state["small.bias.first_moment"].scalar_type(), at::kFloat);
    std::size_t bytes = 0;
    for (const auto& name : state.names())
        if (name.starts_with("large")) bytes += state[name].nbytes();
    EXPECT_NEAR(static_cast<double>(bytes) / (256 * 256), 2.03, 0.005);
}

TEST(AdamW8bit, StaysNearTheOneIn32Bits) {
    const auto start = normalTensor(1, {64, 128});
    Params full, quantised;
    full.add("w.weight", start.clone());
    quantised.add("w.weight", start.clone());
    AdamW exact(full, {});
    AdamW8bit rough(quantised, {});
    for (std::uint64_t step = 0; step < 100; ++step) {
        const std::vector<at::Tensor> gradient{normalTensor(step, {64, 128}) + 0.3};
        exact.step(gradient, 1e-3);
        rough.step(gradient, 1e-3);
    }
    EXPECT_LT((full["w.weight"] - quantised["w.weight"]).norm().item<double>(),
              0.02 * (full["w.weight"] - start).norm().item<double>());
}

}  // namespace
}  // namespace dailies::trainer
