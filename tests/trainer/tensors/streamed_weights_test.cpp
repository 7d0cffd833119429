#include "trainer/tensors/streamed_weights.h"

#include "core/base/error.h"
#include "tests/trainer/models/families.h"

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
        streamed = std::make_unique<StreamedWeights>(weights, at::kCPU, which);
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

}  // namespace
}  // namespace dailies::trainer
