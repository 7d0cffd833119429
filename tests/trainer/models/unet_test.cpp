#include "trainer/models/unet/unet.h"

#include "core/base/error.h"
#include "trainer/models/unet/pose_guider.h"
#include "trainer/models/unet/spatio_temporal_sizes.h"
#include "trainer/tensors/random_tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

namespace dailies::trainer::unet {
namespace {

using testing::HasSubstr;

constexpr double kExact = 1e-12;  // of values of about 1, in float64

UnetSizes tinyUnet(std::int64_t motionPlaces = 0) {
    return {.levels = {{8, 16, 16}, 2},
            .context = 12,
            .heads = 2,
            .groups = 4,
            .motion = {.places = motionPlaces, .middle = true}};
}

/// Random weights of which none is zero or one, so that every part takes part: float64.
Params livelyUnet(const UnetSizes& sizes, std::uint64_t seed = 1) {
    Params weights;
    for (const auto& [name, shape] : unetTensors(sizes)) {
        const auto value = normalTensor(++seed * 1000, shape).to(at::kDouble);
        const auto fan = static_cast<double>(value.numel() / shape.front());
        const bool gain = shape.size() == 1 && name.ends_with(".weight");
        weights.add(name, gain ? 1 + 0.1 * value : shape.size() == 1 ? 0.1 * value : value / std::sqrt(fan));
    }
    return weights;
}

at::Tensor values(std::uint64_t key, at::IntArrayRef sizes) {
    return normalTensor(key, sizes).to(at::kDouble);
}

/// Two clips of 8 × 12.
UnetInput clipsOf(std::int64_t frames) {
    return {.latents = values(1, {2, 4, frames, 8, 12}),
            .times = at::tensor({250.0, 811.0}),
            .context = values(2, {2, 5, 12})};
}

UnetInput narrowed(const UnetInput& input, std::int64_t axis, std::int64_t first, std::int64_t count) {
    auto part = input;
    part.latents = input.latents.narrow(axis, first, count);
    if (input.added.defined()) part.added = input.added.narrow(axis, first, count);
    if (axis == 2) return part;
    part.times = input.times.narrow(0, first, count);
    part.context = input.context.narrow(0, first, count);
    for (auto& [name, tokens] : part.references) tokens = tokens.narrow(0, first, count);
    return part;
}

double apart(const at::Tensor& a, const at::Tensor& b) {
    return (a - b).abs().max().item<double>();
}

std::int64_t parametersOf(const NamedShapes& tensors) {
    std::int64_t parameters = 0;
    for (const auto& [name, shape] : tensors) parameters += Box::whole(shape).elements();
    return parameters;
}

TEST(SpatioTemporalSizesTest, HasTheNamesAndWeightsOfThePublishedModel) {
    EXPECT_EQ(spatioTemporalTensors({}).size(), 1428U);
    EXPECT_EQ(parametersOf(spatioTemporalTensors({})), 1'524'623'082);
}

TEST(UnetSizesTest, HasTheNamesAndWeightsOfThePublishedModels) {
    const auto counted = [](const UnetSizes& sizes) { return parametersOf(unetTensors(sizes)); };
    constexpr std::int64_t kUnet = 859'520'964;
    EXPECT_EQ(unetTensors({}).size(), 686U);
    EXPECT_EQ(counted({}), kUnet);
    EXPECT_EQ(counted({.motion = {.places = 24, .middle = false}}), kUnet + 417'137'600);
    EXPECT_EQ(counted({.motion = {.places = 32, .middle = true}}), kUnet + 453'209'280);
}

class UnetTest : public testing::Test {
protected:
    const at::NoGradGuard m_noGradients;
    const Unet m_unet{tinyUnet()};
    const Params m_weights = livelyUnet(m_unet.sizes());
};

TEST_F(UnetTest, FramesAtOnceAreTheFramesOneByOne) {
    const auto clips = clipsOf(3);
    const auto whole = m_unet(m_weights, clips);
    ASSERT_EQ(whole.sizes(), clips.latents.sizes());
    for (const std::int64_t frame : {0, 1, 2})
        EXPECT_LT(apart(m_unet(m_weights, narrowed(clips, 2, frame, 1)), whole.narrow(2, frame, 1)), kExact);
}

TEST_F(UnetTest, ClipsOfABatchAreIndependentAndListenToTimeContextAndPose) {
    auto clips = clipsOf(2);
    clips.references = m_unet.referencesOf(livelyUnet(m_unet.sizes(), 7), clips);
    const auto whole = m_unet(m_weights, clips);
    for (const std::int64_t clip : {0, 1})
        EXPECT_LT(apart(m_unet(m_weights, narrowed(clips, 0, clip, 1)), whole.narrow(0, clip, 1)), kExact);
    auto other = clips;
    other.times = clips.times + 1;
    EXPECT_GT(apart(m_unet(m_weights, other), whole), 1e-5);
    other = clips;
    other.context = clips.context.clone();
    other.context[1] += 1;
    const auto told = m_unet(m_weights, other);
    EXPECT_GT(apart(told[1], whole[1]), 1e-3);
    EXPECT_EQ(apart(told[0], whole[0]), 0);
    other = clips;
    other.added = values(3, {2, 8, 2, 8, 12});
    EXPECT_GT(apart(m_unet(m_weights, other), whole), 1e-3);
}

TEST_F(UnetTest, OddSidesAreTakenAsTheyAre) {
    const UnetInput odd{.latents = values(1, {1, 4, 1, 7, 9}),
                        .times = at::tensor({250.0}),
                        .context = values(2, {1, 5, 12})};
    EXPECT_EQ(m_unet(m_weights, odd).sizes(), odd.latents.sizes());
}

TEST_F(UnetTest, HeadsAndGroupsThatDoNotFitAreRefused) {
    auto sizes = tinyUnet();
    sizes.heads = 3;
    EXPECT_THAT([&] { Unet refused(sizes); },
                testing::ThrowsMessage<InputError>(HasSubstr("8 channels, which its 3 heads do not divide")));
    sizes = tinyUnet();
    sizes.groups = 5;
    EXPECT_THAT([&] { Unet refused(sizes); }, testing::ThrowsMessage<InputError>(HasSubstr("5 groups")));
}

// Identities of attention to a reference. Each fails for a wrong pairing of blocks, norm, order or layout.

TEST_F(UnetTest, AReferenceThatRepeatsAFramesOwnTokensChangesNothing) {
    const auto tokens = values(4, {6, 10, 8});
    const auto others = values(5, {2, 10, 8});
    const std::string name = "down_blocks.0.attentions.0.transformer_blocks.0.attn1";
    const layers::ProjectedAttention attention{.heads = 2};
    const auto plain = attention(m_weights, name, tokens, tokens);
    EXPECT_LT(apart(attention(m_weights, name, tokens, tokens, tokens), plain), kExact);
    // and what three frames have in common is what each of them is given
    EXPECT_LT(apart(attention(m_weights, name, tokens, tokens, others),
                    attention(m_weights, name, tokens, at::cat({tokens, others.repeat_interleave(3, 0)}, 1))),
              kExact);
    EXPECT_GT(apart(attention(m_weights, name, tokens, tokens, others), plain), 1e-2);
}

TEST_F(UnetTest, TheBankOfTheVeryPassChangesNothing) {
    auto picture = clipsOf(1);
    const auto plain = m_unet(m_weights, picture);
    picture.references = m_unet.referencesOf(m_weights, picture);
    EXPECT_EQ(picture.references.size(), 11U) << "4 down, 6 up and the middle";
    EXPECT_LT(apart(m_unet(m_weights, picture), plain), kExact * plain.abs().max().item<double>());
}

TEST_F(UnetTest, AnEmptyBankIsNoReferenceAndOneThatLacksABlockIsRefused) {
    auto clips = clipsOf(2);
    const auto plain = m_unet(m_weights, clips);
    const auto bank = m_unet.referencesOf(livelyUnet(m_unet.sizes(), 7), clipsOf(1));
    clips.references = bank;
    EXPECT_GT(apart(m_unet(m_weights, clips), plain), 1e-2);
    clips.references = {};
    EXPECT_EQ(apart(m_unet(m_weights, clips), plain), 0);
    clips.references = bank;
    clips.references.erase("mid_block.attentions.0");
    EXPECT_THAT([&] { m_unet(m_weights, clips); },
                testing::ThrowsMessage<InputError>(HasSubstr("mid_block.attentions.0")));
}

TEST_F(UnetTest, AReferenceNetNeedsNoOutputsAndHasNone) {
    auto sizes = tinyUnet();
    sizes.outputs = 0;
    Params weights;
    for (const auto& [name, shape] : unetTensors(sizes)) weights.add(name, m_weights[name]);
    EXPECT_EQ(weights.names().size() + 4, m_weights.names().size());
    const Unet net(sizes);
    const auto picture = clipsOf(1);
    const auto bank = net.referencesOf(weights, picture);
    for (const auto& [name, tokens] : m_unet.referencesOf(m_weights, picture))
        EXPECT_TRUE(at::equal(bank.at(name), tokens)) << name;
    EXPECT_THAT([&] { net(weights, picture); }, testing::ThrowsMessage<InputError>(HasSubstr("no outputs")));
}

TEST(ReferenceNetTest, LearnsThroughItsBankAllButWhatFeedsNothing) {
    const Unet unet(tinyUnet());
    const auto denoiser = livelyUnet(unet.sizes(), 1), reference = livelyUnet(unet.sizes(), 7);
    for (const auto& weights : {denoiser, reference})
        for (const auto& weight : weights.tensors()) at::Tensor(weight).set_requires_grad(true);
    auto clips = clipsOf(2);
    auto picture = clipsOf(1);
    picture.times = at::zeros({2});
    clips.references = unet.referencesOf(reference, picture);
    unet(denoiser, clips).square().sum().backward();
    const auto untouched = [](const Params& weights) {
        std::vector<std::string> names;
        for (const auto& name : weights.names()) {
            const auto& gradient = weights[name].grad();
            if (!gradient.defined() || gradient.abs().max().item<double>() == 0) names.push_back(name);
        }
        return names;
    };
    EXPECT_THAT(untouched(denoiser), testing::IsEmpty());
    // what stands behind the norm of the last transformer's self-attention
    const std::string last = "up_blocks.2.attentions.2.", block = last + "transformer_blocks.0.";
    EXPECT_THAT(untouched(reference), testing::UnorderedElementsAreArray({block + "attn1.to_q.weight",
                                                                          block + "attn1.to_k.weight",
                                                                          block + "attn1.to_v.weight",
                                                                          block + "attn1.to_out.0.weight",
                                                                          block + "attn1.to_out.0.bias",
                                                                          block + "norm2.weight",
                                                                          block + "norm2.bias",
                                                                          block + "attn2.to_q.weight",
                                                                          block + "attn2.to_k.weight",
                                                                          block + "attn2.to_v.weight",
                                                                          block + "attn2.to_out.0.weight",
                                                                          block + "attn2.to_out.0.bias",
                                                                          block + "norm3.weight",
                                                                          block + "norm3.bias",
                                                                          block + "ff.net.0.proj.weight",
                                                                          block + "ff.net.0.proj.bias",
                                                                          block + "ff.net.2.weight",
                                                                          block + "ff.net.2.bias",
                                                                          last + "proj_out.weight",
                                                                          last + "proj_out.bias",
                                                                          std::string("conv_norm_out.weight"),
                                                                          std::string("conv_norm_out.bias"),
                                                                          std::string("conv_out.weight"),
                                                                          std::string("conv_out.bias")}));
}

class MotionTest : public testing::TestWithParam<bool> {
protected:
    const at::NoGradGuard m_noGradients;
    const Unet m_unet{tinyUnet(6), GetParam()};
    const Params m_weights = livelyUnet(m_unet.sizes());
};

INSTANTIATE_TEST_SUITE_P(Norms, MotionTest, testing::Bool(),
                         [](const auto& each) { return each.param ? "AcrossFrames" : "OfEachFrame"; });

TEST_P(MotionTest, FreshModulesAddNothing) {
    auto make = WeightInitializer::fromSeed(3);
    m_unet.declareWeights(make);
    const auto fresh = make.take();
    auto clips = clipsOf(3);
    clips.latents = clips.latents.to(at::kFloat);
    clips.context = clips.context.to(at::kFloat);
    const auto moving = m_unet(fresh, clips);
    EXPECT_GT(moving.abs().max().item<float>(), 0.1);
    EXPECT_TRUE(at::equal(moving, Unet(tinyUnet())(fresh, clips)));
}

TEST_P(MotionTest, FramesListenToEachOtherAndToTheirOrder) {
    const auto clips = clipsOf(4);
    const auto whole = m_unet(m_weights, clips);
    auto other = clips;
    other.latents = clips.latents.clone();
    other.latents.select(2, 3) += 1;
    EXPECT_GT(apart(m_unet(m_weights, other).select(2, 0), whole.select(2, 0)), 1e-3);
    other.latents = clips.latents.flip(2);
    EXPECT_GT(apart(m_unet(m_weights, other).flip(2), whole), 1e-3);
}

TEST_P(MotionTest, MoreFramesThanHaveAPositionAreRefused) {
    EXPECT_EQ(m_unet(m_weights, clipsOf(6)).size(2), 6);
    EXPECT_THAT([&] { m_unet(m_weights, clipsOf(7)); },
                testing::ThrowsMessage<InputError>(HasSubstr("know 6 frames, and the clip has 7")));
}

TEST(FramePositionsTest, AreSinesAndCosinesOfTheFrame) {
    const auto positions = framePositions(24, 10);
    ASSERT_EQ(positions.sizes(), (at::IntArrayRef{24, 10}));
    for (const int frame : {0, 7, 23})
        for (const int i : {0, 1, 4}) {
            const double angle = frame * std::pow(10000.0, -2.0 * i / 10);
            EXPECT_NEAR(positions[frame][2 * i].item<double>(), std::sin(angle), 1e-5);
            EXPECT_NEAR(positions[frame][2 * i + 1].item<double>(), std::cos(angle), 1e-5);
        }
}

TEST(PoseGuiderTest, HalvesTheSidesThreeTimesAndBeginsByAddingNothing) {
    const PoseGuider guider{.sizes = {.widths = {4, 6, 8, 10}, .outputs = 12}};
    auto make = WeightInitializer::fromSeed(3);
    guider.declareWeights(make);
    const auto fresh = make.take();
    const auto poses = uniformTensor(5, {2, 3, 2, 24, 40});
    const auto added = guider(fresh, poses);
    EXPECT_EQ(added.sizes(), (at::IntArrayRef{2, 12, 2, 3, 5}));
    EXPECT_EQ(added.abs().max().item<float>(), 0);
    Params lively;
    for (const auto& name : fresh.names())
        lively.add(name, name == "conv_out.weight" ? normalTensor(6, fresh[name].sizes()) : fresh[name]);
    const auto before = guider(lively, poses);
    auto other = poses.clone();
    other[1].select(1, 1) = 0;
    const auto change = (guider(lively, other) - before).abs();
    EXPECT_GT(change[1].select(1, 1).max().item<float>(), 1e-4);
    EXPECT_EQ(change[0].max().item<float>(), 0);
    EXPECT_EQ(change[1].select(1, 0).max().item<float>(), 0) << "frame by frame";
}

}  // namespace
}  // namespace dailies::trainer::unet
