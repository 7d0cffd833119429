#include "trainer/models/layers/fused.h"

#include "trainer/models/layers/norms.h"
#include "trainer/random_tensor.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <functional>

namespace dailies::trainer::layers {
namespace {

/// The kernels of one CPU thread beside the same formula in float64.
class FusedTest : public testing::Test {
protected:
    void SetUp() override { at::set_num_threads(1); }
    void TearDown() override { at::set_num_threads(m_threads); }

private:
    int m_threads = at::get_num_threads();
};

using Formula = std::function<at::Tensor(const std::vector<at::Tensor>&)>;

/// The output, then the gradient of each input for a fixed gradient of the output.
std::vector<at::Tensor> results(const Formula& formula, const std::vector<at::Tensor>& given,
                                at::ScalarType type) {
    std::vector<at::Tensor> inputs;
    for (const auto& input : given) inputs.push_back(input.to(type).detach().clone().set_requires_grad(true));
    const auto out = formula(inputs);
    out.backward(normalTensor(9, out.sizes()).to(type));
    std::vector<at::Tensor> all = {out.detach()};
    for (const auto& input : inputs) all.push_back(input.grad());
    return all;
}

void expectSame(const Formula& fused, const Formula& exact, const std::vector<at::Tensor>& inputs) {
    const auto ours = results(fused, inputs, at::kFloat), theirs = results(exact, inputs, at::kDouble);
    for (std::size_t i = 0; i < ours.size(); ++i)
        EXPECT_LT(((ours[i] - theirs[i]).norm() / theirs[i].norm()).item<double>(), 1e-6)
            << (i == 0 ? "the output" : "the gradient of input " + std::to_string(i - 1));
}

TEST_F(FusedTest, ModulatesAsTheFormulaSays) {
    for (const std::int64_t width : {24, 64, 100}) {  // multiples of a vector and not
        const auto x = normalTensor(1, {3, 50, width}) * 3 + 1, shift = normalTensor(2, {3, 1, width}),
                   scale = normalTensor(3, {3, 1, width});
        ASSERT_TRUE(fusableModulation(x, shift));
        expectSame([](const auto& in) { return fusedModulated(in[0], in[1], in[2]); },
                   [](const auto& in) {
                       return at::layer_norm(in[0], {in[0].size(-1)}, {}, {}, kNormEpsilon) * (1 + in[2]) +
                              in[1];
                   },
                   {x, shift, scale});
    }
}

TEST_F(FusedTest, TurnsNormalisedHeadsThatLieWithinWiderRows) {
    for (const std::int64_t head : {6, 32, 40}) {
        const SequenceLayout layout({{.clips = 2, .frames = 3, .rows = 4, .columns = 5}});
        const auto turn = Rotary({.headWidth = head}, at::kCPU).turn(layout);
        const Turn exact{turn.cos.to(at::kDouble), turn.sin.to(at::kDouble)};
        const auto rows = normalTensor(1, {2, 60, 3 * 2 * head}), gain = normalTensor(2, {head}) + 1;
        const auto part = [&](const at::Tensor& all) {
            return all.narrow(-1, 2 * head, 2 * head).unflatten(-1, {2, head});
        };
        ASSERT_TRUE(fusableTurn(part(rows), turn));
        expectSame([&](const auto& in) { return fusedTurned(part(in[0]), in[1], turn); },
                   [&](const auto& in) {
                       return rotated(at::rms_norm(part(in[0]), {head}, in[1], kNormEpsilon), exact);
                   },
                   {rows, gain});
    }
}

TEST_F(FusedTest, LeavesOtherTensorsToLibTorch) {
    const auto x = normalTensor(1, {2, 5, 8});
    EXPECT_TRUE(fusable(x));
    EXPECT_FALSE(fusable(x.to(at::kBFloat16)));
    EXPECT_FALSE(fusableModulation(x, normalTensor(2, {1, 5, 8}))) << "packed: each token has its own row";
    at::set_num_threads(2);
    EXPECT_FALSE(fusable(x)) << "LibTorch's operations run on all threads";
}

}  // namespace
}  // namespace dailies::trainer::layers
