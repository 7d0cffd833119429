#include "trainer/models/layers/recompute.h"

#include "trainer/tensors/random_tensor.h"

#include <gtest/gtest.h>
#include <torch/types.h>

namespace dailies::trainer::layers {
namespace {

/// Three pieces one behind the other, and whether what is between them is still held when all have run.
struct Chain {
    explicit Chain(Kept kept) {
        weight = normalTensor(1, {6, 6}).set_requires_grad(true);
        input = normalTensor(2, {4, 6}).set_requires_grad(true);
        const auto piece = [this](const std::vector<at::Tensor>& given) {
            return at::tanh(at::matmul(given[0], weight) + given[1]);
        };
        const auto shift = normalTensor(3, {4, 6});
        auto x = input * 1;
        std::vector<c10::weak_intrusive_ptr<at::TensorImpl>> between;
        for (int i = 0; i < 3; ++i) {
            if (i > 0) between.emplace_back(x.getIntrusivePtr());
            x = withRecompute(piece, {x, shift}, kept);
        }
        for (const auto& tokens : between) held += !tokens.expired();
        x.square().sum().backward();
    }

    at::Tensor weight, input;
    int held = 0;
};

TEST(Recompute, KeepsTheTokensOrACopyInTheNodesMemoryAndGivesTheSameGradients) {
    const Chain onDevice(Kept::onDevice), onHost(Kept::firstOnHost);
    EXPECT_EQ(onDevice.held, 2);
    EXPECT_EQ(onHost.held, 0) << "the device holds none between forward and backward";
    EXPECT_GT(onDevice.weight.grad().abs().max().item<double>(), 0);
    EXPECT_TRUE(at::equal(onHost.weight.grad(), onDevice.weight.grad()));
    EXPECT_TRUE(at::equal(onHost.input.grad(), onDevice.input.grad()));
}

}  // namespace
}  // namespace dailies::trainer::layers
