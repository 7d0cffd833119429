#include "trainer/models/mimic_motion/mimic_motion.h"

#include "core/base/error.h"
#include "core/planner/weight_sizes.h"
#include "tests/trainer/models/characters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>

namespace dailies::trainer {
namespace {

constexpr double kSame = 1e-5;
constexpr std::int64_t kSeen = 6;

/// "pixels"; "latents": of 2 pixels, and it reads embeddings of the reference pictures.
ModelShape tinyDancer(const std::string& kind) {
    ModelShape shape;
    shape.model.family = "mimic-motion";
    shape.model.width = 16;
    shape.model.depth = 1;
    shape.model.heads = 2;
    shape.model.patch_frames = 1;
    shape.model.time_scale = 1;
    shape.model.patch_size = kind == "latents" ? 1 : 2;
    shape.frames = kCharacterFrames;
    shape.height = 16;
    shape.width = 24;
    if (kind != "latents") return shape;
    shape.latentPixels = 2;
    shape.channels = 4;
    shape.imageWidth = kSeen;
    shape.height /= 2;
    shape.width /= 2;
    return shape;
}

double most(const at::Tensor& x) {
    return x.abs().max().item<double>();
}

class MimicMotionTest : public testing::TestWithParam<std::string> {
protected:
    const MimicMotion m_model{tinyDancer(GetParam()), at::kCPU};
    const Params m_weights = livelyWeights(m_model);
    const ModelInput m_input = twoCharacters(m_model.shape());

    at::Tensor denoised(const ModelInput& input) const { return m_model.forward(m_weights, input).front(); }
    at::Tensor changed(const std::function<void(Character&)>& change) const {
        const at::NoGradGuard noGradients;
        auto other = m_input;
        change(other.groups[0].character);
        return (denoised(other) - denoised(m_input)).abs();
    }
};

TEST_P(MimicMotionTest, ClipsOfABatchComeOutAsTheyDoAlone) {
    const at::NoGradGuard noGradients;
    const auto whole = denoised(m_input);
    ASSERT_EQ(whole.sizes(), m_input.groups[0].clips.sizes());
    for (const std::int64_t clip : {0, 1}) {
        EXPECT_LT(most(denoised(onlyCharacter(m_input, clip))[0] - whole[clip]), kSame);
    }
}

TEST_P(MimicMotionTest, ListensToReferenceAndPosesOfItsOwnClipInAllFrames) {
    const auto byReference = changed([](Character& character) {
        character.reference = character.reference.clone();
        character.reference[1].narrow(-1, 1, 3) += 1;
    });
    const auto byPose = changed([](Character& character) {
        character.poses = character.poses.clone();
        character.poses[1][2] = 0;
    });
    for (const auto& change : {byReference, byPose}) {
        for (std::int64_t frame = 0; frame < kCharacterFrames; ++frame)
            EXPECT_GT(most(change[1][frame]), 1e-4);
        EXPECT_LT(most(change[0]), kSame);
    }
    if (m_model.shape().imageWidth == 0) return;
    const auto bySeen = changed([](Character& character) {
        character.embedding = character.embedding.clone();
        character.embedding[1] += 1;
    });
    EXPECT_GT(most(bySeen[1]), 1e-4);
    EXPECT_EQ(most(bySeen[0]), 0);
}

TEST_P(MimicMotionTest, AClipWithoutItsReferenceHasNoPosesEither) {
    const at::NoGradGuard noGradients;
    auto dropped = m_input;
    auto& character = dropped.groups[0].character;
    character.reference = character.reference.clone();
    character.reference[1] = 0;
    const auto without = denoised(dropped);
    EXPECT_LT(most(without[0] - denoised(m_input)[0]), kSame);
    EXPECT_GT(most(without[1] - denoised(m_input)[1]), 1e-4);
    character.poses = character.poses.clone();
    character.poses[1] = 0;
    EXPECT_EQ(most(denoised(dropped)[1] - without[1]), 0);
}

TEST_P(MimicMotionTest, PosesThatAreReadOnceGiveTheSame) {
    const at::NoGradGuard noGradients;
    auto prepared = m_input;
    prepared.groups[0].character = m_model.prepared(m_weights, m_input.groups[0].character);
    EXPECT_TRUE(prepared.groups[0].character.guided.defined());
    EXPECT_EQ(most(denoised(prepared) - denoised(m_input)), 0);
    // in parts, as long clips are sampled
    prepared.groups[0].character.poses = at::zeros_like(m_input.groups[0].character.poses);
    EXPECT_EQ(most(denoised(prepared) - denoised(m_input)), 0);
}

TEST_P(MimicMotionTest, BeginsWithoutPosesAndWithoutALookAtOtherFrames) {
    const at::NoGradGuard noGradients;
    const auto fresh = m_model.initialWeights(1);
    auto unposed = m_input;
    unposed.groups[0].character.poses = at::zeros_like(m_input.groups[0].character.poses);
    EXPECT_EQ(most(m_model.forward(fresh, unposed).front() - m_model.forward(fresh, m_input).front()), 0);
}

TEST_P(MimicMotionTest, EveryWeightLearns) {
    for (const auto& weight : m_weights.tensors()) at::Tensor(weight).set_requires_grad(true);
    denoised(m_input).square().sum().backward();
    for (const auto& name : m_weights.names()) {
        // of one token attention is all, whatever the queries ask
        const bool asksOneToken = name.find(".norm2.") != std::string::npos ||
                                  name.find(".attn2.to_q.") != std::string::npos ||
                                  name.find(".attn2.to_k.") != std::string::npos;
        if (asksOneToken && name.find("transformer_blocks.") != std::string::npos) continue;
        EXPECT_TRUE(m_weights[name].grad().defined() && most(m_weights[name].grad()) > 0) << name;
    }
}

TEST_P(MimicMotionTest, BlocksThatAreComputedAgainGiveTheSameGradients) {
    auto shape = m_model.shape();
    shape.model.recompute = "full";
    const MimicMotion again(shape, at::kCPU);
    const auto gradients = [&](const Model& model) {
        Params learned;
        for (const auto& name : m_weights.names())
            learned.add(name, m_weights[name].detach().clone().set_requires_grad(true));
        model.forward(learned, m_input).front().square().sum().backward();
        return learned;
    };
    const auto expected = gradients(m_model), found = gradients(again);
    double largest = 0;  // sums of many numbers that nearly cancel, in another order
    for (const auto& name : m_weights.names()) largest = std::max(largest, most(expected[name].grad()));
    for (const auto& name : m_weights.names())
        EXPECT_LT(most(found[name].grad() - expected[name].grad()), kSame * largest) << name;
}

TEST_P(MimicMotionTest, IsPlannedWeightByWeight) {
    config::TrainConfig config;
    const auto& shape = m_model.shape();
    config.model = shape.model;
    if (shape.latentPixels > 1) {
        config.tokenizer.kind = "sd_vae";
        config.tokenizer.space_factor = shape.latentPixels;
    }
    std::vector<std::int64_t> planned, declared;
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
TEST_P(MimicMotionTest, TakesTheOperationsThatItsWeightsTell) {
    const auto& shape = m_model.shape();
    constexpr std::int64_t kPlaces[] = {8 * 12, 4 * 6, 2 * 3, 1 * 2};
    const auto has = [](const std::string& name, const char* part) {
        return name.find(part) != std::string::npos;
    };
    const auto weights = m_model.weightsOnMeta();
    std::int64_t products = 0;
    for (const auto& name : weights.names()) {
        const auto& weight = weights[name];
        if (weight.dim() < 2) continue;
        std::int64_t rows = kPlaces[levelOfLayer(name)] * kCharacterFrames;
        if (has(name, "attn2.to_k") || has(name, "attn2.to_v") || has(name, "time_emb") ||
            has(name, "add_embedding"))
            rows = 1;
        if (has(name, "time_pos_embed")) rows = kCharacterFrames;
        if (name.starts_with("pose_net."))
            rows = kCharacterFrames * (has(name, "conv_layers.0.") ? 16 * 24 : 8 * 12);
        products += 2 * weight.numel() * rows;
    }
    const auto counted = m_model.flops({kCharacterFrames, shape.height, shape.width}, 0);
    EXPECT_EQ(counted.blocks + counted.rest, products);
    EXPECT_GT(counted.attention, 0);
}

INSTANTIATE_TEST_SUITE_P(Of, MimicMotionTest, testing::Values("pixels", "latents"),
                         [](const auto& chosen) { return chosen.param; });

TEST(MimicMotionSizes, AreThePublishedOnesAndAreKeptWithTheModel) {
    auto shape = tinyDancer("latents");
    shape.model.width = 320;
    shape.model.depth = 2;
    shape.model.heads = 5;
    shape.latentPixels = 8;
    shape.imageWidth = 1024;
    const MimicMotion model(ModelShape::fromJson(shape.toJson()), at::kCPU);
    EXPECT_FALSE(model.shape().toJson().contains("motion"));
    const auto weights = model.weightsOnMeta();
    std::int64_t ofUnet = 0;
    for (const auto& name : weights.names())
        if (name.starts_with("unet.")) ofUnet += weights[name].numel();
    EXPECT_EQ(ofUnet, 1'524'623'082);
    EXPECT_EQ(weights["pose_net.conv_layers.10.weight"].sizes(), (at::IntArrayRef{64, 32, 4, 4}));
    EXPECT_EQ(weights["pose_net.conv_layers.14.weight"].sizes(), (at::IntArrayRef{128, 64, 3, 3}));
    EXPECT_EQ(weights["pose_net.final_proj.weight"].sizes(), (at::IntArrayRef{320, 128, 1, 1}));
    EXPECT_EQ(weights["pose_net.scale"].sizes(), (at::IntArrayRef{1}));
}

}  // namespace
}  // namespace dailies::trainer
