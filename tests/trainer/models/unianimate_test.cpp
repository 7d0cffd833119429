#include "trainer/models/unianimate/unianimate.h"

#include "core/base/error.h"
#include "tests/trainer/models/families.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>

namespace dailies::trainer {
namespace {

ModelShape tinyAnimator() {
    auto shape = std::ranges::find(variants(), "unianimate", &Variant::name)->shape;
    shape.latentPixels = shape.framesPerLatent = 4;
    return shape;
}

double most(const at::Tensor& x) {
    return x.abs().max().item<double>();
}

class UniAnimateTest : public testing::Test {
protected:
    const UniAnimate m_model{tinyAnimator(), at::kCPU};
    const Params m_weights = liveWeights(m_model);
    const ModelInput m_input = batchFor(m_model.shape());

    at::Tensor denoised(const ModelInput& input) const { return m_model.forward(m_weights, input).front(); }
    /// How far each clip moves, and each of its frames.
    at::Tensor changed(const std::function<void(Character&)>& change) const {
        const at::NoGradGuard noGradients;
        auto other = m_input;
        change(other.groups[0].character);
        return (denoised(other) - denoised(m_input)).abs().amax({2, 3, 4});
    }
    ModelInput withoutPoses() const {
        auto input = m_input;
        auto& pose = input.groups[0].character.referencePose;
        pose = at::zeros_like(pose);
        return input;
    }
    /// What Wan's image to video makes of the same.
    at::Tensor ofWan(const Params& weights) const {
        auto shape = m_model.shape();
        shape.model.family = "wan";
        const Wan wan(shape, at::kCPU);
        auto input = m_input;
        input.groups[0].character = {};
        return wan.forward(weights, input).front();
    }
};

TEST_F(UniAnimateTest, ListensToPosesOfItsOwnClipInAllFrames) {
    const auto byMotion = changed([](Character& character) {
        character.poses = character.poses.clone();
        character.poses[1][5] = 0;
    });
    const auto byReference = changed([](Character& character) {
        character.referencePose = character.referencePose.clone();
        character.referencePose[1].narrow(-1, 1, 3) = 0;
    });
    for (const auto& change : {byMotion, byReference}) {
        EXPECT_GT(change[1].min().item<double>(), 1e-6);
        EXPECT_EQ(most(change[0]), 0);
    }
}

TEST_F(UniAnimateTest, AClipWithoutPosesIsThatOfWansImageToVideo) {
    const at::NoGradGuard noGradients;
    EXPECT_TRUE(at::equal(denoised(withoutPoses()), ofWan(m_weights)));
    EXPECT_GT(most(denoised(m_input) - ofWan(m_weights)), 1e-3);
}

TEST_F(UniAnimateTest, BeginsAsWanWhateverThePoses) {
    const at::NoGradGuard noGradients;
    const auto fresh = m_model.initialWeights(1);
    EXPECT_TRUE(at::equal(m_model.forward(fresh, m_input).front(), ofWan(fresh)));
}

TEST_F(UniAnimateTest, PosesThatAreReadOnceGiveTheSame) {
    const at::NoGradGuard noGradients;
    auto prepared = m_input;
    auto& character = prepared.groups[0].character;
    character = m_model.prepared(m_weights, character);
    EXPECT_EQ(character.guided.sizes(), (at::IntArrayRef{2, 4, 24, 2, 3}));
    EXPECT_TRUE(at::equal(denoised(prepared), denoised(m_input)));
}

TEST_F(UniAnimateTest, AFrameOfLatentsIsToldOfTheFramesThatItHolds) {
    const at::NoGradGuard noGradients;
    const auto& poses = m_input.groups[0].character.poses;
    ASSERT_EQ(poses.size(1), 13);
    const auto read = [&](const at::Tensor& drawn) {
        Character character;
        character.poses = drawn;
        return m_model.prepared(m_weights, character).guided;
    };
    auto other = poses.clone();
    other.narrow(1, 9, 4) = 0;  // those of the last one
    const auto change = (read(other) - read(poses)).abs().amax({0, 2, 3, 4});
    EXPECT_GT(change[3].item<double>(), change[2].item<double>());
    EXPECT_EQ(change[0].item<double>(), 0) << "convolutions see few frames";
}

TEST_F(UniAnimateTest, AClipOfNobodyIsRefused) {
    auto input = m_input;
    input.groups[0].character = {};
    EXPECT_THROW(denoised(input), Error);
}

TEST(UniAnimateSizes, AreThePublishedOnesAndAreKeptWithTheModel) {
    auto shape = tinyAnimator();
    shape.model.patch_size = 2;
    shape.model.width = 5120;
    shape.model.depth = 40;
    shape.model.heads = 40;
    shape.model.mlp_width = 13824;
    shape.channels = 16;
    shape.latentPixels = 8;
    shape.textWidth = 4096;
    shape.imageWidth = 1280;
    const UniAnimate model(ModelShape::fromJson(shape.toJson()), at::kCPU);
    const auto weights = model.weightsOnMeta();
    const std::pair<const char*, std::vector<std::int64_t>> published[] = {
        {"dwpose_embedding.0.weight", {16, 3, 3, 3, 3}},
        {"dwpose_embedding.4.weight", {16, 16, 3, 3, 3}},
        {"dwpose_embedding.10.weight", {16, 16, 3, 3, 3}},
        {"dwpose_embedding.12.weight", {5120, 16, 1, 2, 2}},
        {"dwpose_embedding.12.bias", {5120}},
        {"randomref_embedding_pose.0.weight", {16, 3, 3, 3}},
        {"randomref_embedding_pose.10.weight", {20, 16, 3, 3}}};
    for (const auto& [name, sizes] : published) EXPECT_EQ(weights[name].sizes(), sizes) << name;
    EXPECT_FALSE(weights.contains("dwpose_embedding.14.weight"));
    EXPECT_FALSE(weights.contains("randomref_embedding_pose.12.weight"));
}

}  // namespace
}  // namespace dailies::trainer
