#include "trainer/models/dit/dit.h"

#include "core/base/error.h"
#include "trainer/random_tensor.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

namespace dailies::trainer {
namespace {

ModelShape tinyShape() {
    ModelShape shape;
    shape.model.width = 24;
    shape.model.depth = 2;
    shape.model.heads = 2;
    shape.frames = 4;
    shape.height = 16;
    shape.width = 24;
    shape.captionTokens = 5;
    return shape;
}

/// Weights of which none is zero, so that every part takes part.
Params liveWeights(const Model& model) {
    Params live;
    const auto initial = model.initialWeights(1);
    for (const auto& name : initial.names())
        live.add(name,
                 initial[name] + 0.1 * normalTensor(std::hash<std::string>{}(name), initial[name].sizes()));
    return live;
}

class DitTest : public testing::Test {
protected:
    ModelShape shape = tinyShape();
    std::unique_ptr<Model> model = makeModel(shape, at::kCPU);
    Params weights = liveWeights(*model);
    at::Tensor clips = normalTensor(1, {3, 4, 16, 24, 3});
    at::Tensor times = at::full({3}, 0.5);
    at::Tensor captions = at::zeros({3, 5});

    void SetUp() override { captions.select(1, 0).fill_(1); }

    at::Tensor denoised(const at::Tensor& given, const at::Tensor& at, const at::Tensor& said) const {
        return model->forward(weights, {{{given}}, at, {.words = said}}).front();
    }
};

TEST_F(DitTest, PutsOutAClipOfTheSizeThatItTakes) {
    EXPECT_EQ(denoised(clips, times, captions).sizes(), clips.sizes());
    EXPECT_EQ(model->tokensPerClip(), 2 * 2 * 3);
}

TEST_F(DitTest, TreatsTheClipsOfABatchIndependently) {
    const auto together = denoised(clips, times, captions);
    const auto alone = denoised(clips.narrow(0, 1, 1), times.narrow(0, 1, 1), captions.narrow(0, 1, 1));
    EXPECT_LT((together.narrow(0, 1, 1) - alone).abs().max().item<float>(), 1e-4);
}

TEST_F(DitTest, ListensToCaptionTimeAndEveryPixel) {
    const auto before = denoised(clips, times, captions);
    auto otherCaptions = captions.clone();
    otherCaptions.select(1, 3).fill_(1);
    EXPECT_GT((denoised(clips, times, otherCaptions) - before).abs().max().item<float>(), 1e-3);
    EXPECT_GT((denoised(clips, times + 0.3, captions) - before).abs().max().item<float>(), 1e-3);
    auto otherClips = clips.clone();
    otherClips[0][3][15][23][2] += 5;
    const auto change = (denoised(otherClips, times, captions) - before).abs();
    EXPECT_GT(change[0][0][0][0][0].item<float>(), 1e-6) << "attention spans the whole clip";
    EXPECT_EQ(change[1].max().item<float>(), 0);
}

TEST_F(DitTest, GivesEveryWeightAGradient) {
    for (const auto& weight : weights.tensors()) at::Tensor(weight).set_requires_grad(true);
    denoised(clips, times, captions + 1).square().sum().backward();
    for (const auto& name : weights.names()) {
        ASSERT_TRUE(weights[name].grad().defined()) << name;
        EXPECT_GT(weights[name].grad().abs().max().item<float>(), 0) << name;
    }
}

TEST_F(DitTest, InitialWeightsDependOnSeedAndNameOnly) {
    auto deeper = shape;
    deeper.model.depth = 5;
    const auto one = model->initialWeights(7), same = makeModel(deeper, at::kCPU)->initialWeights(7);
    for (const auto& name : one.names()) EXPECT_TRUE(at::equal(one[name], same[name])) << name;
    EXPECT_FALSE(at::equal(one["patch.weight"], model->initialWeights(8)["patch.weight"]));
}

TEST(ModelFamily, RefusesAFamilyThatItLacks) {
    auto shape = tinyShape();
    shape.model.family = "unet";
    EXPECT_THROW(makeModel(shape, at::kCPU), InputError);
}

TEST(Rope3d, KeepsNormsAndLeavesTheOriginAlone) {
    const Rope3d rope(2, 3, 4, 16, at::kCPU);
    const auto x = normalTensor(1, {1, 1, 24, 16});
    const auto turned = rope.rotate(x);
    EXPECT_LT((turned.norm(2, -1) - x.norm(2, -1)).abs().max().item<float>(), 1e-5);
    EXPECT_TRUE(at::equal(turned.select(2, 0), x.select(2, 0)));
}

TEST(Rope3d, MakesAttentionDependOnDistanceOnly) {
    const Rope3d rope(3, 4, 5, 24, at::kCPU);
    const auto query = normalTensor(1, {1, 1, 1, 24}).expand({1, 1, 60, 24});
    const auto key = normalTensor(2, {1, 1, 1, 24}).expand({1, 1, 60, 24});
    const auto scores = at::matmul(rope.rotate(query), rope.rotate(key).transpose(-1, -2))[0][0];
    const auto token = [](int frame, int row, int column) { return (frame * 4 + row) * 5 + column; };
    const auto score = [&](int from, int to) { return scores[from][to].item<float>(); };
    // the same step of (1 frame, 1 row, 2 columns) from several places
    const float one = score(token(0, 0, 0), token(1, 1, 2));
    EXPECT_NEAR(score(token(1, 2, 2), token(2, 3, 4)), one, 1e-4);
    EXPECT_NEAR(score(token(0, 1, 1), token(1, 2, 3)), one, 1e-4);
    EXPECT_GT(std::abs(score(token(0, 0, 0), token(1, 2, 1)) - one), 1e-3) << "each axis must count";
}

}  // namespace
}  // namespace dailies::trainer
