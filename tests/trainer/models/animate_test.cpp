#include "trainer/models/animate/animate.h"

#include "core/base/error.h"
#include "core/planner/unet_count.h"
#include "core/planner/weight_sizes.h"
#include "tests/trainer/models/characters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>

namespace dailies::trainer {
namespace {

using testing::HasSubstr;

constexpr double kNear = 1e-5;

constexpr std::int64_t kEmbedding = 6;

/// "none", "v1" or "v2": motion modules of a model of pixels; "latents": a model of latents of 2 pixels that
/// reads embeddings of the reference pictures, too; "champ": a model of pixels that reads two kinds of
/// drawings.
ModelShape tinyCharacterShape(const std::string& kind = "none") {
    ModelShape shape;
    shape.model.family = "animate";
    shape.model.width = 16;
    shape.model.depth = 1;
    shape.model.heads = 2;
    shape.model.patch_frames = 1;
    shape.frames = 3;
    if (kind == "latents") {
        shape.model.patch_size = 1;
        shape.latentPixels = 2;
        shape.channels = 4;
        shape.imageWidth = kEmbedding;
        shape.height = 8;
        shape.width = 12;
        return shape;
    }
    shape.model.patch_size = 2;
    if (kind == "champ")
        shape.model.guidance_types = {"depth", "dwpose"};
    else
        shape.model.motion = kind;
    shape.height = 16;
    shape.width = 24;
    return shape;
}

double apartBy(const at::Tensor& a, const at::Tensor& b) {
    return (a - b).abs().max().item<double>();
}

class AnimateTest : public testing::TestWithParam<std::string> {
protected:
    const Animate m_model{tinyCharacterShape(GetParam()), at::kCPU};
    const Params m_weights = livelyWeights(m_model);
    const ModelInput m_input = twoCharacters(m_model.shape());

    at::Tensor denoised(const ModelInput& input) const { return m_model.forward(m_weights, input).front(); }
    at::Tensor changed(const std::function<void(Character&)>& change) const {
        auto other = m_input;
        change(other.groups[0].character);
        return (denoised(other) - denoised(m_input)).abs();
    }
};

TEST_P(AnimateTest, ClipsOfABatchComeOutAsTheyDoAlone) {
    const at::NoGradGuard noGradients;
    const auto whole = denoised(m_input);
    ASSERT_EQ(whole.sizes(), m_input.groups[0].clips.sizes());
    for (const std::int64_t clip : {0, 1}) {
        EXPECT_LT(apartBy(denoised(onlyCharacter(m_input, clip))[0], whole[clip]), kNear);
    }
}

TEST_P(AnimateTest, ListensToReferenceAndPosesOfItsOwnClip) {
    const at::NoGradGuard noGradients;
    const auto byReference = changed([](Character& character) {
        character.reference = character.reference.clone();
        character.reference[1].narrow(-1, 1, 3) += 1;
    });
    EXPECT_GT(byReference[1].max().item<double>(), 1e-3);
    EXPECT_LT(byReference[0].max().item<double>(), kNear);
    const auto byPose = changed([](Character& character) {
        character.poses = character.poses.clone();
        character.poses[0][2] = 0;
    });
    EXPECT_GT(byPose[0][2].max().item<double>(), 1e-3);
    EXPECT_EQ(byPose[1].max().item<double>(), 0);
    EXPECT_EQ(byPose[0][0].max().item<double>() > 0, m_model.shape().model.motion != "none")
        << "only motion modules look on";
}

TEST_P(AnimateTest, BothNetsReadTheEmbeddingOfTheReferencePicture) {
    if (m_model.shape().imageWidth == 0) return;
    const at::NoGradGuard noGradients;
    const auto change = changed([](Character& character) {
        character.embedding = character.embedding.clone();
        character.embedding[1] += 1;
    });
    EXPECT_GT(change[1].max().item<double>(), 1e-3);
    EXPECT_EQ(change[0].max().item<double>(), 0);
    auto other = m_input.groups[0].character;
    other.embedding = other.embedding + 1;
    const auto &known = m_model.prepared(m_weights, m_input.groups[0].character).tokens,
               &read = m_model.prepared(m_weights, other).tokens;
    EXPECT_GT(apartBy(known.at("up_blocks.3.attentions.1"), read.at("up_blocks.3.attentions.1")), 1e-3);
    other.embedding = at::Tensor();
    auto without = m_input;
    without.groups[0].character = other;
    EXPECT_THAT([&] { denoised(without); }, testing::ThrowsMessage<Error>(HasSubstr("embeddings")));
}

TEST_P(AnimateTest, AClipWithoutItsReferenceAttendsToItselfAlone) {
    const at::NoGradGuard noGradients;
    auto dropped = m_input;
    auto& character = dropped.groups[0].character;
    character.reference = character.reference.clone();
    character.reference[1] = 0;
    const auto one = denoised(dropped);
    EXPECT_LT(apartBy(one[0], denoised(m_input)[0]), kNear) << "each clip for itself";
    // whatever the picture's values are, where none is given
    character.reference[1].narrow(-1, 1, 3) = 5;
    EXPECT_LT(apartBy(denoised(dropped)[1], one[1]), kNear);
    EXPECT_GT(apartBy(one[1], denoised(m_input)[1]), 1e-3);
}

TEST_P(AnimateTest, AReferenceThatIsReadOnceGivesTheSame) {
    const at::NoGradGuard noGradients;
    auto prepared = m_input;
    prepared.groups[0].character = m_model.prepared(m_weights, m_input.groups[0].character);
    EXPECT_FALSE(prepared.groups[0].character.tokens.empty());
    EXPECT_EQ(apartBy(denoised(prepared), denoised(m_input)), 0);
}

TEST_P(AnimateTest, EveryWeightLearnsButThoseThatFeedNothing) {
    for (const auto& weight : m_weights.tensors()) at::Tensor(weight).set_requires_grad(true);
    denoised(m_input).square().sum().backward();
    const std::string last = "reference.up_blocks.3.attentions.1.";
    for (const auto& name : m_weights.names()) {
        const bool feedsNothing = name.starts_with(last) && !name.starts_with(last + "norm.") &&
                                  !name.starts_with(last + "proj_in.") &&
                                  name.find(".norm1.") == std::string::npos;
        const auto& gradient = m_weights[name].grad();
        // of one token attention is all, whatever the queries ask
        const bool asksOneToken = name.find(".norm2.") != std::string::npos ||
                                  name.find(".attn2.to_q.") != std::string::npos ||
                                  name.find(".attn2.to_k.") != std::string::npos;
        if (asksOneToken && name.find(".transformer_blocks.") != std::string::npos &&
            name.find(".attentions.") != std::string::npos)
            continue;
        EXPECT_EQ(gradient.defined() && gradient.abs().max().item<float>() > 0, !feedsNothing) << name;
    }
}

TEST_P(AnimateTest, BlocksThatAreComputedAgainGiveTheSameGradients) {
    auto shape = m_model.shape();
    shape.model.recompute = "full";
    const Animate again(shape, at::kCPU);
    const auto gradients = [&](const Model& model, const std::function<bool(const std::string&)>& learns) {
        Params learned;
        for (const auto& name : m_weights.names())
            learned.add(name, m_weights[name].detach().clone().set_requires_grad(learns(name)));
        const auto output = model.forward(learned, m_input).front();
        EXPECT_EQ(apartBy(output.detach(), denoised(m_input)), 0);
        output.square().sum().backward();
        return learned;
    };
    // all, and motion modules alone: what is before the first of them has no gradients
    for (const std::string part : {"", ".motion_modules."}) {
        if (!part.empty() && shape.model.motion == "none") continue;
        const auto learns = [&](const std::string& name) { return name.find(part) != std::string::npos; };
        const auto expected = gradients(m_model, learns), found = gradients(again, learns);
        for (const auto& name : m_weights.names()) {
            ASSERT_EQ(found[name].grad().defined(), expected[name].grad().defined()) << name;
            if (!expected[name].grad().defined()) continue;
            const auto largest = expected[name].grad().abs().max().item<double>();
            EXPECT_LT(apartBy(found[name].grad(), expected[name].grad()), kNear * (1 + largest)) << name;
        }
    }
}

TEST_P(AnimateTest, IsPlannedWeightByWeight) {
    config::TrainConfig config;
    config.model = m_model.shape().model;
    std::vector<std::int64_t> planned, declared;
    const auto& shape = m_model.shape();
    for (const auto& weight :
         planner::weightSizes(config, {.channels = shape.channels, .imageWidth = shape.imageWidth}))
        planned.push_back(weight.elements);
    const auto weights = m_model.weightsOnMeta();
    for (const auto& weight : weights.tensors()) declared.push_back(weight.numel());
    std::ranges::sort(planned);
    std::ranges::sort(declared);
    EXPECT_EQ(planned, declared);
}

// The layers by their names, counted apart from the planner: rows of a matrix, places of a convolution.
TEST_P(AnimateTest, TakesTheOperationsThatItsWeightsTell) {
    const ClipSize size{3, m_model.shape().height, m_model.shape().width};
    std::int64_t places[] = {8 * 12, 4 * 6, 2 * 3, 1 * 2};
    const auto weights = m_model.weightsOnMeta();
    std::int64_t products = 0;
    for (const auto& name : weights.names()) {
        const auto& weight = weights[name];
        if (weight.dim() < 2) continue;
        const bool reference = name.starts_with("reference.");
        std::int64_t rows = places[levelOfLayer(name)] * (reference ? 1 : size.frames);
        const bool ofEmbedding =
            name.find(".attentions.") != std::string::npos &&
            (name.find("attn2.to_k") != std::string::npos || name.find("attn2.to_v") != std::string::npos);
        if (ofEmbedding || name.find("time_emb") != std::string::npos) rows = 1;
        if (name.starts_with("guider.") || name.starts_with("guidance_encoder_"))
            rows = size.frames *
                   (name.find("conv_in") != std::string::npos || name.find(".blocks.0.") != std::string::npos
                        ? 16 * 24
                        : 8 * 12);
        const bool readsReference =
            name.starts_with("denoiser.") && name.find(".attentions.") != std::string::npos &&
            (name.find("attn1.to_k") != std::string::npos || name.find("attn1.to_v") != std::string::npos);
        if (readsReference) rows += places[levelOfLayer(name)];
        const std::string last = "reference.up_blocks.3.attentions.1.";
        if (name.starts_with(last) && !name.starts_with(last + "proj_in")) rows = 0;
        products += 2 * weight.numel() * rows;
    }
    const auto counted = m_model.flops(size, 0);
    EXPECT_EQ(counted.blocks + counted.rest, products);
    EXPECT_GT(counted.attention, 0);
}

INSTANTIATE_TEST_SUITE_P(Motion, AnimateTest, testing::Values("none", "v1", "v2", "latents", "champ"),
                         [](const auto& chosen) { return chosen.param; });

TEST(AnimateSizes, OfLatentsAndEmbeddingsAreKeptWithTheModel) {
    const auto shape = ModelShape::fromJson(tinyCharacterShape("latents").toJson());
    EXPECT_EQ(shape.latentPixels, 2);
    EXPECT_EQ(shape.imageWidth, kEmbedding);
    const auto ofPixels = tinyCharacterShape().toJson();
    EXPECT_FALSE(ofPixels.contains("latent_pixels")) << "checkpoints of before stay the same";
    EXPECT_THAT(shapeDifferences(ofPixels, shape.toJson()),
                testing::IsSupersetOf(
                    {"latent_pixels 1 there, 2 in the config", "image_width 0 there, 6 in the config"}));
}

TEST(AnimateSizes, AreThoseOfStableDiffusionWithoutItsTextAtThePublishedWidth) {
    auto shape = tinyCharacterShape("v2");
    shape.model.width = 320;
    shape.model.depth = 2;
    shape.model.heads = 8;
    shape.model.patch_size = 1;
    shape.channels = 4;
    const Animate model(shape, at::kCPU);
    const auto weights = model.weightsOnMeta();
    EXPECT_EQ(weights["guider.blocks.5.weight"].sizes(), (at::IntArrayRef{256, 96, 3, 3}));
    EXPECT_EQ(weights["denoiser.conv_in.weight"].sizes(), (at::IntArrayRef{320, 4, 3, 3}));
    EXPECT_TRUE(weights.contains("denoiser.mid_block.motion_modules.0.proj_out.weight"));
    EXPECT_FALSE(weights.contains("reference.mid_block.motion_modules.0.proj_out.weight"));
    EXPECT_FALSE(weights.contains("reference.conv_out.weight"));
    shape.latentPixels = 8;
    shape.imageWidth = 768;
    const auto published = Animate(shape, at::kCPU).weightsOnMeta();
    EXPECT_EQ(published["reference.mid_block.attentions.0.transformer_blocks.0.attn2.to_k.weight"].sizes(),
              (at::IntArrayRef{1280, 768}));
}

TEST(Champ, AddsUpWhatItsEncodersMakeOfTheirDrawings) {
    const at::NoGradGuard noGradients;
    const Animate model(tinyCharacterShape("champ"), at::kCPU);
    const auto weights = livelyWeights(model);
    const auto character = twoCharacters(model.shape()).groups[0].character;
    const auto madeOf = [&](const at::Tensor& drawings) {
        auto drawn = character;
        drawn.poses = drawings;
        return model.prepared(weights, drawn).guided;
    };
    const auto depth = at::cat({character.poses.narrow(-1, 0, 3), at::zeros({2, 3, 16, 24, 3})}, -1),
               pose = at::cat({at::zeros({2, 3, 16, 24, 3}), character.poses.narrow(-1, 3, 3)}, -1);
    const auto none = madeOf(at::zeros_like(character.poses));
    EXPECT_LT(apartBy(madeOf(character.poses), madeOf(depth) + madeOf(pose) - none), kNear);
    EXPECT_GT(apartBy(madeOf(depth), madeOf(pose)), 1e-3);
    EXPECT_THAT([&] { madeOf(character.poses.narrow(-1, 0, 3)); },
                testing::ThrowsMessage<Error>(HasSubstr("reads 2 kinds of drawings, and the batch has 1")));
}

TEST(Champ, IsKeptWithItsTypesAndHasThePublishedSizes) {
    auto shape = tinyCharacterShape("champ");
    EXPECT_EQ(ModelShape::fromJson(shape.toJson()).model.guidance_types, shape.model.guidance_types);
    EXPECT_FALSE(tinyCharacterShape().toJson().contains("guidance_types"))
        << "checkpoints of before stay the same";
    shape.model.width = 320;
    shape.model.heads = 8;
    const auto weights = Animate(shape, at::kCPU).weightsOnMeta();
    EXPECT_EQ(weights["guidance_encoder_depth.blocks.5.weight"].sizes(), (at::IntArrayRef{256, 96, 3, 3}));
    EXPECT_EQ(weights["guidance_encoder_dwpose.attention.transformer_blocks.0.ff.net.0.proj.weight"].sizes(),
              (at::IntArrayRef{2048, 256}));
    EXPECT_FALSE(weights.contains("guider.conv_in.weight"));
}

TEST(AnimateBatch, WithoutCharactersOrOfSeveralSizesIsRefused) {
    const Animate model(tinyCharacterShape(), at::kCPU);
    const auto weights = model.initialWeights(1);
    auto input = twoCharacters(model.shape());
    input.groups.push_back(input.groups.front());
    EXPECT_THAT([&] { model.forward(weights, input); },
                testing::ThrowsMessage<Error>(HasSubstr("several sizes")));
    input = twoCharacters(model.shape());
    input.groups[0].character = {};
    EXPECT_THAT([&] { model.forward(weights, input); },
                testing::ThrowsMessage<Error>(HasSubstr("animates a character")));
}

}  // namespace
}  // namespace dailies::trainer
