#include "trainer/tensors/streamed_weights.h"

#include "core/base/error.h"
#include "tests/trainer/models/families.h"
#include "trainer/tensors/random_tensor.h"
#include "trainer/tensors/tensor_memory.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>

namespace dailies::trainer {
namespace {

class Streamed : public testing::Test {
protected:
    Streamed() {
        const auto variant = std::ranges::find(variants(), "wan", &Variant::name);
        model = makeModel(variant->shape, at::kCPU);
        input = batchFor(variant->shape);
        weights = liveWeights(*model);
        stream([](const std::string&) { return true; });
    }

    void stream(const std::function<bool(const std::string&)>& which) {
        streamed = std::make_unique<StreamedWeights>(at::kCPU);
        for (const auto& name : weights.names()) {
            const auto block = blockOf(name);
            if (!block.empty() && which(block))
                streamed->addWaiting(name, weights[name]);
            else
                streamed->addResident(name, weights[name]);
        }
    }
    std::int64_t blocksHeld() const {
        std::int64_t held = 0;
        for (const auto& name : streamed->onDevice().names())
            held += name.starts_with("blocks.") &&
                    streamed->onDevice().tensors()[place(name)].storage().nbytes() > 0;
        return held;
    }
    std::size_t place(const std::string& name) const {
        const auto& names = streamed->onDevice().names();
        return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
    }

    std::unique_ptr<Model> model;
    ModelInput input;
    Params weights;
    std::unique_ptr<StreamedWeights> streamed;
};

TEST_F(Streamed, GiveWhatWholeWeightsGiveAndHoldNoBlockAfterwards) {
    const at::NoGradGuard noGradients;
    EXPECT_EQ(blocksHeld(), 0);
    const auto expected = model->forward(weights, input).front();
    for (int pass = 0; pass < 2; ++pass)
        EXPECT_TRUE(at::equal(model->forward(streamed->onDevice(), input).front(), expected));
    EXPECT_EQ(blocksHeld(), 0);
}

TEST_F(Streamed, HoldOneBlockAtATime) {
    const at::NoGradGuard noGradients;
    const auto& onDevice = streamed->onDevice();
    onDevice.unshardHooks()->enter("blocks.1");
    EXPECT_TRUE(at::equal(onDevice["blocks.1.mlp_in.weight"], weights["blocks.1.mlp_in.weight"]));
    EXPECT_THROW(onDevice["blocks.0.mlp_in.weight"], Error);
    onDevice.unshardHooks()->leave("blocks.1", {});
    EXPECT_THROW(onDevice["blocks.1.mlp_in.weight"], Error);
}

TEST_F(Streamed, AreReadFromEightBitsInTheTypeThatPassesWant) {
    const auto whole = normalTensor(1, {12, 40});
    for (const auto type : {at::kFloat, at::kBFloat16}) {
        StreamedWeights packed(at::kCPU);
        packed.addWaiting("blocks.0.mlp_in.weight", toInt8(whole), type);
        packed.addResident("blocks.0.norm.weight", at::ones({40}));
        const auto& onDevice = packed.onDevice();
        EXPECT_THROW(onDevice["blocks.0.mlp_in.weight"], Error);
        EXPECT_EQ(onDevice["blocks.0.norm.weight"].numel(), 40);
        onDevice.unshardHooks()->enter("blocks.0");
        const auto& read = onDevice["blocks.0.mlp_in.weight"];
        EXPECT_EQ(read.scalar_type(), type);
        EXPECT_LT(((read - whole).norm() / whole.norm()).item<double>(), 0.01);
        onDevice.unshardHooks()->leave("blocks.0", {});
        EXPECT_THROW(onDevice["blocks.0.mlp_in.weight"], Error);
    }
}

TEST(Int8, RoundsEachRowByItsLargestValue) {
    auto matrix = normalTensor(2, {64, 512});
    matrix[3] *= 1000;  // a row that is much larger leaves the others as fine as they were
    matrix[5].zero_();
    matrix[7] = at::arange(512, at::kFloat) % 255 - 127;  // what 8 bits hold exactly
    const auto packed = toInt8(matrix);
    EXPECT_EQ(packed.values.scalar_type(), at::kChar);
    const auto back = at::empty_like(matrix);
    fromInt8(packed, back);
    const auto step = matrix.abs().amax(1, true) / 127;
    EXPECT_LE(((back - matrix).abs() / step.clamp_min(1e-9)).max().item<double>(), 0.5001);
    EXPECT_LT(((back[0] - matrix[0]).norm() / matrix[0].norm()).item<double>(), 0.01);
    EXPECT_TRUE(at::equal(back[5], matrix[5]));
    EXPECT_TRUE(at::equal(back[7], matrix[7]));
    EXPECT_EQ(packed.values.abs().max().item<int>(), 127);
    const auto again = toInt8(back);
    EXPECT_TRUE(at::equal(again.values, packed.values)) << "rounding once more changes nothing";
}

}  // namespace
}  // namespace dailies::trainer
