// What the kernels compute on a GPU, computed here by the same functions over loops, against ATen's
// operations.
#include "trainer/models/layers/cuda/fused.h"

#include "trainer/models/layers/norms.h"
#include "trainer/models/model_family.h"
#include "trainer/tensors/random_tensor.h"

#include <ATen/autocast_mode.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/function.h>
#include <torch/types.h>

#include <functional>

namespace dailies::trainer::fused {
namespace {

using Tensors = std::vector<at::Tensor>;
using Operation = std::function<Tensors(const Tensors& inputs)>;

struct Outcome {
    Tensors outputs, gradients;
};

/// What an operation puts out, and the gradient of each input for random gradients of the outputs.
Outcome outcomeOf(const Operation& operation, const Tensors& inputs) {
    Tensors leaves;
    for (const auto& input : inputs) leaves.push_back(input.clone().set_requires_grad(true));
    Outcome outcome{operation(leaves), {}};
    Tensors given;
    for (std::size_t i = 0; i < outcome.outputs.size(); ++i)
        given.push_back(
            normalTensor(100 + i, outcome.outputs[i].sizes().vec()).to(outcome.outputs[i].scalar_type()));
    outcome.gradients = torch::autograd::grad(outcome.outputs, leaves, given);
    return outcome;
}

double difference(const at::Tensor& ours, const at::Tensor& theirs) {
    const auto exact = theirs.to(at::kDouble);
    return ((ours.to(at::kDouble) - exact).norm() / exact.norm()).item<double>();
}

/// Both computed from the same numbers, `aten` in float64: so the figures are the kernels' own rounding.
void expectSame(const Operation& ours, const Operation& aten, const Tensors& inputs, double forward,
                double backward) {
    Tensors exact;
    for (const auto& input : inputs) exact.push_back(input.to(at::kDouble));
    const FusedBackendScope kernels(FusedBackend::kernels);
    const auto found = outcomeOf(ours, inputs), wanted = outcomeOf(aten, exact);
    ASSERT_EQ(found.outputs.size(), wanted.outputs.size());
    for (std::size_t i = 0; i < found.outputs.size(); ++i) {
        ASSERT_EQ(found.outputs[i].sizes(), wanted.outputs[i].sizes());
        EXPECT_LT(difference(found.outputs[i], wanted.outputs[i]), forward) << "output " << i;
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        ASSERT_EQ(found.gradients[i].sizes(), wanted.gradients[i].sizes());
        EXPECT_LT(difference(found.gradients[i], wanted.gradients[i]), backward) << "gradient of input " << i;
    }
}

class Bf16Products {
public:
    Bf16Products() {
        at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
        at::autocast::set_autocast_enabled(at::kCPU, true);
    }
    ~Bf16Products() { at::autocast::set_autocast_enabled(at::kCPU, false); }
};

constexpr double kFloatForward = 1e-6, kFloatBackward = 1e-5, kRounded = 4e-3;

at::Tensor modulatedByAten(const at::Tensor& x, const at::Tensor& shift, const at::Tensor& scale) {
    return shift + at::layer_norm(x, {x.size(-1)}, {}, {}, layers::kNormEpsilon) * (1 + scale);
}

/// Inputs of a junction: x and change, then gate, shift and scale.
Tensors junctionInputs(const std::vector<std::int64_t>& tokens,
                       const std::vector<std::int64_t>& conditioning) {
    return {normalTensor(1, tokens) * 3 + 1, normalTensor(2, tokens), normalTensor(3, conditioning),
            normalTensor(4, conditioning), normalTensor(5, conditioning)};
}

struct Sizes {
    std::vector<std::int64_t> tokens, conditioning;
};

class JunctionTest : public testing::TestWithParam<Sizes> {
protected:
    Tensors inputs = junctionInputs(GetParam().tokens, GetParam().conditioning);
};

TEST_P(JunctionTest, ModulatesLikeAten) {
    expectSame([](const Tensors& in) { return Tensors{normModulate(in[0], in[1], in[2])}; },
               [](const Tensors& in) { return Tensors{modulatedByAten(in[0], in[1], in[2])}; },
               {inputs[0], inputs[3], inputs[4]}, kFloatForward, kFloatBackward);
}

TEST_P(JunctionTest, AddsGatedChangesLikeAten) {
    expectSame([](const Tensors& in) { return Tensors{gatedResidual(in[0], in[1], in[2])}; },
               [](const Tensors& in) { return Tensors{in[0] + in[1] * in[2]}; },
               {inputs[0], inputs[1], inputs[2]}, kFloatForward, kFloatBackward);
}

TEST_P(JunctionTest, JoinsBothLikeAten) {
    expectSame(
        [](const Tensors& in) {
            const auto [sum, normed] = gatedResidualNormModulate(in[0], in[1], in[2], in[3], in[4]);
            return Tensors{sum, normed};
        },
        [](const Tensors& in) {
            const auto sum = in[0] + in[1] * in[2];
            return Tensors{sum, modulatedByAten(sum, in[3], in[4])};
        },
        inputs, kFloatForward, kFloatBackward);
}

TEST_P(JunctionTest, KeepsTheSumExactWhereProductsAreBf16) {
    const Bf16Products autocast;
    inputs[1] = inputs[1].to(at::kBFloat16);
    expectSame(
        [](const Tensors& in) {
            const auto [sum, normed] = gatedResidualNormModulate(in[0], in[1], in[2], in[3], in[4]);
            EXPECT_EQ(sum.scalar_type(), at::kFloat);
            EXPECT_EQ(normed.scalar_type(), at::kBFloat16);
            return Tensors{sum, normed.to(at::kFloat)};
        },
        [](const Tensors& in) {
            const auto sum = in[0] + in[1] * in[2];
            return Tensors{sum, modulatedByAten(sum, in[3], in[4])};
        },
        inputs, kRounded, kRounded);
}

TEST_P(JunctionTest, PassesGradientsOfTheSumAloneOn) {
    expectSame(
        [](const Tensors& in) {
            return Tensors{
                gatedResidualNormModulate(in[0], in[1], in[2], at::zeros_like(in[2]), at::zeros_like(in[2]))
                    .first};
        },
        [](const Tensors& in) { return Tensors{in[0] + in[1] * in[2]}; }, {inputs[0], inputs[1], inputs[2]},
        kFloatForward, kFloatBackward);
}

INSTANTIATE_TEST_SUITE_P(Sizes, JunctionTest,
                         testing::Values(Sizes{{2, 5, 16}, {2, 1, 16}}, Sizes{{3, 700, 40}, {3, 1, 40}},
                                         Sizes{{1, 9, 64}, {1, 9, 64}}, Sizes{{3, 7, 64}, {3, 7, 64}},
                                         Sizes{{1, 3, 2048}, {1, 1, 2048}}));

struct HeadSizes {
    std::int64_t heads = 0, kvHeads = 0, headWidth = 0;
    bool across = false, interleaved = false;
};

class HeadsTest : public testing::TestWithParam<HeadSizes> {
protected:
    static constexpr std::int64_t kClips = 2, kTokens = 7;

    layers::RopeTable rope() const {
        const auto half = normalTensor(9, {kTokens, 1, GetParam().headWidth / 2});
        const auto angles = GetParam().interleaved ? half : at::cat({half, half}, -1);
        return {at::cos(angles), at::sin(angles), GetParam().interleaved};
    }
    Heads heads() const {
        return {GetParam().heads * GetParam().headWidth, GetParam().kvHeads * GetParam().headWidth,
                GetParam().headWidth, GetParam().across};
    }
    Tensors inputs() const {
        const auto [width, kvWidth, headWidth, across, epsilon] = heads();
        return {normalTensor(1, {kClips, kTokens, width + 2 * kvWidth}) * 2,
                normalTensor(2, {across ? width : headWidth}),
                normalTensor(3, {across ? kvWidth : headWidth})};
    }
    Tensors ours(const Tensors& in) const {
        const auto [query, key, value] = qkNormRope(in[0], heads(), in[1], in[2], rope());
        return {query, key, value};
    }
    Tensors aten(const Tensors& in) const {
        const auto [width, kvWidth, headWidth, across, epsilon] = heads();
        const auto parts = in[0].split_with_sizes({width, kvWidth, kvWidth}, -1);
        const auto byHead = [this](const at::Tensor& x) { return x.unflatten(-1, {-1, heads().headWidth}); };
        const auto turned = [&](const at::Tensor& part, const at::Tensor& gain) {
            const auto x = across ? part : byHead(part);
            const auto unit = gain * x / at::sqrt(at::square(x).mean(-1, true) + epsilon);
            auto exact = rope();
            exact.cos = exact.cos.to(at::kDouble);
            exact.sin = exact.sin.to(at::kDouble);
            return layers::rotated(across ? byHead(unit) : unit, exact);
        };
        return {turned(parts[0], in[1]), turned(parts[1], in[2]), byHead(parts[2])};
    }
};

TEST_P(HeadsTest, NormsAndTurnsLikeAten) {
    expectSame([this](const Tensors& in) { return ours(in); }, [this](const Tensors& in) { return aten(in); },
               inputs(), kFloatForward, kFloatBackward);
}

TEST_P(HeadsTest, NormsAndTurnsBf16InFloat) {
    auto given = inputs();
    given[0] = given[0].to(at::kBFloat16);
    expectSame([this](const Tensors& in) { return ours(in); }, [this](const Tensors& in) { return aten(in); },
               given, kRounded, kRounded);
}

TEST_P(HeadsTest, LeavesOutWhatNobodyReads) {
    const FusedBackendScope kernels(FusedBackend::kernels);
    auto given = inputs();
    for (auto& input : given) input.set_requires_grad(true);
    const auto query = ours(given)[0];
    EXPECT_NE(query.grad_fn()->name().find("HeadsFunction"), std::string::npos)
        << "the kernels were not used";
    query.sum().backward();
    const auto parts =
        given[0].grad().split_with_sizes({heads().queryWidth, heads().kvWidth, heads().kvWidth}, -1);
    EXPECT_GT(parts[0].abs().sum().item<float>(), 0);
    EXPECT_EQ(parts[1].abs().sum().item<float>(), 0);
    EXPECT_EQ(parts[2].abs().sum().item<float>(), 0);
}

INSTANTIATE_TEST_SUITE_P(Sizes, HeadsTest,
                         testing::Values(HeadSizes{3, 3, 16}, HeadSizes{4, 2, 32, false, false},
                                         HeadSizes{2, 2, 96, false, true}, HeadSizes{4, 4, 32, true, true},
                                         HeadSizes{3, 3, 128, true, false}));

struct WholeModel {
    const char* family;
    std::int64_t textWidth;
    bool packed;
    bool inPlace =
        false;  ///< the first frame of each clip is given in place: its tokens have rows of their own
};

class ModelsByKernels : public testing::TestWithParam<WholeModel> {};

TEST_P(ModelsByKernels, LearnTheSameAsByLayers) {
    ModelShape shape;
    shape.model.family = GetParam().family;
    shape.model.heads = 2;
    shape.model.positions = "none";
    if (GetParam().inPlace) shape.model.conditioning = "in_place";
    shape.frames = 4;
    shape.height = shape.width = 16;
    shape.captionTokens = 5;
    shape.textWidth = GetParam().textWidth;
    const auto model = makeModel(shape, at::kCPU);
    Params weights;
    const auto initial = model->initialWeights(1);
    for (const auto& name :
         initial.names())  // gates are zero at first, which would hide what they let through
        weights.add(name,
                    (initial[name] + 0.1 * normalTensor(weights.names().size(), initial[name].sizes().vec()))
                        .set_requires_grad(true));
    ModelInput input;
    input.groups.push_back({.clips = normalTensor(1, {2, 4, 16, 16, 3})});
    if (GetParam().packed) input.groups.push_back({.clips = normalTensor(2, {1, 2, 8, 24, 3})});
    for (auto& group : input.groups) {
        if (!GetParam().inPlace) continue;
        auto sizes = group.clips.sizes().vec();
        ++sizes.back();
        group.conditioning = at::zeros(sizes);
        group.conditioning.narrow(1, 0, 1).fill_(1);
    }
    const std::int64_t clips = GetParam().packed ? 3 : 2;
    input.times = at::linspace(0.2, 0.8, clips);
    if (shape.textWidth > 0) {
        input.text.embeddings = normalTensor(3, {clips, 6, shape.textWidth});
        input.text.mask = at::ones({clips, 6}, at::kBool);
    } else {
        input.text.words = at::ones({clips, 5});
    }
    const auto learned = [&](FusedBackend route) {
        const FusedBackendScope scope(route);
        at::Tensor loss = at::zeros({});
        for (const auto& output : model->forward(weights, input)) loss = loss + at::square(output).mean();
        auto results = torch::autograd::grad({loss}, weights.tensors(), {}, std::nullopt, false, true);
        results.push_back(loss.detach());
        return results;
    };
    const auto found = learned(FusedBackend::kernels), wanted = learned(FusedBackend::layers);
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (!wanted[i].defined()) continue;
        const auto name = i < weights.names().size() ? weights.names()[i] : "loss";
        EXPECT_LT(difference(found[i], wanted[i]), 1e-5) << name;
    }
}

INSTANTIATE_TEST_SUITE_P(Families, ModelsByKernels,
                         testing::Values(WholeModel{"dit", 0, false}, WholeModel{"dit", 24, false},
                                         WholeModel{"dit", 24, true}, WholeModel{"st-dit", 0, false},
                                         WholeModel{"wan", 24, false}, WholeModel{"wan", 0, true},
                                         WholeModel{"wan", 24, false, true},
                                         WholeModel{"wan", 0, true, true}));

}  // namespace
}  // namespace dailies::trainer::fused
