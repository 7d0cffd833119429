#include "trainer/models/layers/fused.h"

#include "trainer/models/layers/norms.h"
#include "trainer/tensors/random_tensor.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <functional>
#include <map>

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
        expectSame([](const auto& in) { return fusedNormModulate(in[0], in[1], in[2]); },
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
        const auto rope = Rotary({.headWidth = head}, at::kCPU).rope(layout);
        const RopeTable exact{rope.cos.to(at::kDouble), rope.sin.to(at::kDouble)};
        const auto rows = normalTensor(1, {2, 60, 3 * 2 * head}), gain = normalTensor(2, {head}) + 1;
        const auto part = [&](const at::Tensor& all) {
            return all.narrow(-1, 2 * head, 2 * head).unflatten(-1, {2, head});
        };
        ASSERT_TRUE(fusableRope(part(rows), rope));
        expectSame([&](const auto& in) { return fusedNormRope(part(in[0]), in[1], rope); },
                   [&](const auto& in) {
                       return rotated(at::rms_norm(part(in[0]), {head}, in[1], kNormEpsilon), exact);
                   },
                   {rows, gain});
    }
}

TEST_F(FusedTest, GatesWhatASubLayerAdds) {
    for (const std::int64_t width : {24, 64, 100}) {
        const std::vector<at::Tensor> inputs = {
            normalTensor(1, {3, 50, width}), normalTensor(2, {3, 50, width}), normalTensor(3, {3, 1, width})};
        ASSERT_TRUE(fusableGate(inputs[0], inputs[1], inputs[2]));
        expectSame([](const auto& in) { return fusedGatedResidual(in[0], in[1], in[2]); },
                   [](const auto& in) { return in[0] + in[2] * in[1]; }, inputs);
    }
}

TEST_F(FusedTest, ActivatesAnMlpWithItsBias) {
    const std::map<std::string, Formula> formulas = {
        {"relu2", [](const auto& in) { return at::square(at::relu(in[0] + in[1])); }},
        {"gelu", [](const auto& in) { return at::gelu(in[0] + in[1]); }},
        {"gelu-tanh", [](const auto& in) { return at::gelu(in[0] + in[1], "tanh"); }}};
    for (const auto& [name, formula] : formulas)
        for (const std::int64_t width : {24, 100}) {
            SCOPED_TRACE(name);
            const auto x = normalTensor(1, {3, 50, width}) * 2, bias = normalTensor(2, {width});
            expectSame([&](const auto& in) { return fusedActivation(in[0], in[1], name); }, formula,
                       {x, bias});
            expectSame([&](const auto& in) { return fusedActivation(in[0], {}, name); },
                       [&](const auto& in) {
                           return formula({in[0], at::zeros_like(bias, at::kDouble)});
                       },
                       {x});
            // far out, where the exponentials leave the range of float32
            const auto far = at::tensor({-1e4F, -30.F, -9.F, -0.F, 0.F, 9.F, 30.F, 1e4F});
            const auto found = fusedActivation(far, {}, name),
                       wanted = formula({far.to(at::kDouble), at::zeros({8}, at::kDouble)});
            EXPECT_TRUE(at::allclose(found.to(at::kDouble), wanted, 1e-6, 1e-6)) << found << wanted;
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
