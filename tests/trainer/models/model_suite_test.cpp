#include "core/base/error.h"
#include "core/config/family_traits.h"
#include "tests/trainer/models/families.h"
#include "trainer/tensors/precision.h"
#include "trainer/tensors/random_tensor.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>

namespace dailies::trainer {
namespace {

double largest(const at::Tensor& x) {
    return x.abs().max().item<double>();
}

void takeGradients(const Params& weights) {
    for (const auto& weight : weights.tensors()) {
        at::Tensor(weight).set_requires_grad(true);
        at::Tensor(weight).mutable_grad() = at::zeros_like(weight);
    }
}

at::Tensor loss(const std::vector<at::Tensor>& groups) {
    at::Tensor sum = at::zeros({});
    for (const auto& group : groups) sum = sum + group.to(at::kFloat).square().sum();
    return sum;
}

/// What every family owes its users.
class ModelSuite : public testing::TestWithParam<Variant> {
protected:
    const ModelShape& shape = GetParam().shape;
    std::unique_ptr<Model> model = makeModel(shape, at::kCPU);
    Params weights = liveWeights(*model);
    ModelInput input = batchFor(shape);

    at::Tensor denoised(const ModelInput& given) const { return model->forward(weights, given).front(); }
};

TEST_P(ModelSuite, PutsOutClipsOfTheSizeThatItTakes) {
    EXPECT_EQ(denoised(input).sizes(), input.groups[0].clips.sizes());
    EXPECT_EQ(model->tokensPerClip({4, 16, 24}), 4 / shape.model.patch_frames * 2 * 3);
}

TEST_P(ModelSuite, TreatsTheClipsOfABatchIndependently) {
    const auto alone = someClips(input, 1, 1);
    EXPECT_LT(largest(denoised(input).narrow(0, 1, 1) - denoised(alone)), 1e-5);
}

TEST_P(ModelSuite, ListensToCaptionTimeAndEveryPixel) {
    const auto before = denoised(input);
    auto other = input;
    if (input.text.words.defined()) {
        other.text.words = input.text.words.clone();
        other.text.words.select(1, 2).fill_(1);
    } else {
        other.text.embeddings = input.text.embeddings + 1;
    }
    EXPECT_GT(largest(denoised(other) - before), 1e-4) << "the caption";
    other = input;
    other.times = input.times + 0.1;
    EXPECT_GT(largest(denoised(other) - before), 1e-4) << "the time";
    other = input;
    other.groups[0].clips = input.groups[0].clips.clone();
    other.groups[0].clips[0][3][15][23][2] += 5;
    const auto change = (denoised(other) - before).abs();
    EXPECT_GT(change[0][0][0][0][0].item<float>(), 1e-7) << "attention reaches through the whole clip";
    EXPECT_EQ(change[1].max().item<float>(), 0);
}

TEST_P(ModelSuite, IgnoresWhatStandsBehindACaptionsLastToken) {
    if (shape.textWidth == 0) GTEST_SKIP() << "captions come as words";
    auto other = input;
    other.text.embeddings = input.text.embeddings.clone();
    other.text.embeddings[0][3] += 5;  // masked
    EXPECT_LT(largest(denoised(other) - denoised(input)), 1e-6);
    other.text.mask = at::zeros_like(input.text.mask);
    EXPECT_TRUE(denoised(other).isfinite().all().item<bool>()) << "a caption without tokens";
}

TEST_P(ModelSuite, ReadsTheFramesThatAreGiven) {
    if (shape.model.conditioning == "none") GTEST_SKIP() << "not conditioned on frames";
    const auto before = denoised(input);
    auto other = input;
    other.groups[0].conditioning = input.groups[0].conditioning.clone();
    other.groups[0].conditioning[0][0][0][0][1] += 1;
    EXPECT_GT(largest(denoised(other) - before), 1e-5) << "their pixels";
    other.groups[0].conditioning = at::Tensor();
    const auto without = denoised(other);
    EXPECT_GT(largest(without - before), 1e-4);
    other.groups[0].conditioning = at::zeros_like(input.groups[0].conditioning);
    EXPECT_TRUE(at::equal(denoised(other), without)) << "given nothing is the same as nothing given";
}

TEST_P(ModelSuite, ReadsWhatAnEncoderOfPicturesSees) {
    if (shape.imageWidth == 0) GTEST_SKIP() << "reads none";
    const auto before = denoised(input);
    auto other = input;
    auto& tokens = other.groups[0].imageTokens;
    tokens = tokens.clone();
    tokens[0] += 1;
    EXPECT_LT(largest(denoised(other) - before), 1e-5) << "it is normed";
    tokens[0][2][3] += 5;
    const auto change = (denoised(other) - before).abs();
    EXPECT_GT(change[0].max().item<float>(), 1e-4);
    EXPECT_EQ(change[1].max().item<float>(), 0) << "the other clip has its own";
    tokens = at::Tensor();
    EXPECT_THROW(denoised(other), Error);
}

TEST_P(ModelSuite, GivesEveryWeightAGradient) {
    auto packed = config::hasPositionTable(shape.model) ? 1 : 3;
    takeGradients(weights);
    auto batch = batchFor(shape, static_cast<std::size_t>(packed));
    if (batch.text.words.defined()) batch.text.words = at::ones_like(batch.text.words);
    loss(model->forward(weights, batch)).backward();
    for (const auto& name : weights.names()) EXPECT_GT(largest(weights[name].grad()), 0) << name;
}

TEST_P(ModelSuite, PackedClipsComeOutAsTheyDoAlone) {
    if (config::hasPositionTable(shape.model)) {
        EXPECT_THROW(model->forward(weights, batchFor(shape, 3)), Error) << "its table fits one size";
        return;
    }
    const auto batch = batchFor(shape, 3);
    const auto together = model->forward(weights, batch);
    ASSERT_EQ(together.size(), 3);
    for (std::int64_t i = 0; i < 3; ++i) {
        auto alone = batch;
        alone.groups = {batch.groups[static_cast<std::size_t>(i)]};
        for (auto* rows : {&alone.times, &alone.text.words, &alone.text.embeddings, &alone.text.mask})
            if (rows->defined()) *rows = rows->narrow(0, 2 * i, 2);
        const auto apart = denoised(alone);
        ASSERT_EQ(together[static_cast<std::size_t>(i)].sizes(), apart.sizes());
        EXPECT_LT(largest(together[static_cast<std::size_t>(i)] - apart) / largest(apart), 1e-6);
    }
}

TEST_P(ModelSuite, RecomputationGivesTheSameGradientsBitForBit) {
    const std::size_t groups = config::hasPositionTable(shape.model) ? 1 : 3;
    const auto gradients = [&](const std::string& mode, const std::string& precision) {
        auto changed = shape;
        changed.model.recompute = mode;
        const auto other = makeModel(changed, at::kCPU);
        const auto own = liveWeights(*other);
        takeGradients(own);
        auto batch = batchFor(shape, groups);
        // in bf16 one cast serves all blocks, and its gradients are summed in bf16; recomputed blocks sum
        // theirs in float32
        const bool trainsText = batch.text.embeddings.defined() && precision == "fp32";
        if (trainsText) batch.text.embeddings.set_requires_grad(true);
        at::Tensor sum;
        {
            const AutocastScope autocast(at::kCPU, precision);
            sum = loss(other->forward(own, batch));
        }
        sum.backward();
        std::vector<at::Tensor> all;
        for (const auto& weight : own.tensors()) all.push_back(weight.grad().flatten());
        if (trainsText) all.push_back(batch.text.embeddings.grad().flatten());
        return at::cat(all);
    };
    for (const auto* precision : {"fp32", "bf16"}) {
        const auto kept = gradients("none", precision);
        EXPECT_TRUE(kept.isfinite().all().item<bool>());
        EXPECT_TRUE(at::equal(gradients("selective", precision), kept)) << precision;
        EXPECT_TRUE(at::equal(gradients("full", precision), kept)) << precision;
    }
}

TEST_P(ModelSuite, ComputesNearlyTheSameInHalfPrecision) {
    const auto exact = denoised(input);
    const AutocastScope autocast(at::kCPU, "bf16");
    const auto half = denoised(input);
    EXPECT_EQ(half.scalar_type(), at::kFloat) << "the last layer computes in float32";
    EXPECT_LT((half - exact).norm().item<double>() / exact.norm().item<double>(), 0.03);
    EXPECT_GT(largest(half - exact), 1e-5) << "the blocks do not";
}

TEST_P(ModelSuite, BeginsByPuttingOutNothing) {
    EXPECT_EQ(largest(model->forward(model->initialWeights(1), input).front()), 0);
}

TEST_P(ModelSuite, LearnsWithEveryWeightFromItsFirstValues) {
    // gates and last layers begin at zero; two such factors in a row would hold each other there for ever
    const auto fresh = model->initialWeights(1), trained = fresh.clone();
    auto batch = input;
    if (batch.text.words.defined()) batch.text.words = at::ones_like(batch.text.words);
    for (int step = 0; step < 5; ++step) {
        takeGradients(trained);
        const auto target = normalTensor(99, batch.groups[0].clips.sizes());
        loss({model->forward(trained, batch).front() - target}).backward();
        const at::NoGradGuard noGradients;
        for (const auto& weight : trained.tensors()) at::Tensor(weight).sub_(1e-2 * weight.grad().sign());
    }
    for (const auto& name : fresh.names())
        EXPECT_GT(largest(trained[name].detach() - fresh[name]), 0) << name;
}

TEST_P(ModelSuite, InitialWeightsDependOnSeedAndNameOnly) {
    auto deeper = shape;
    deeper.model.depth = 5;
    const auto one = model->initialWeights(7), same = makeModel(deeper, at::kCPU)->initialWeights(7);
    for (const auto& name : one.names()) EXPECT_TRUE(at::equal(one[name], same[name])) << name;
    EXPECT_FALSE(at::equal(one["patch.weight"], model->initialWeights(8)["patch.weight"]));
}

TEST_P(ModelSuite, IsSizedOnTheMetaDeviceAsItIsDrawn) {
    const auto drawn = model->initialWeights(1), sized = model->weightsOnMeta();
    ASSERT_EQ(sized.names(), drawn.names());
    for (const auto& name : drawn.names()) {
        EXPECT_EQ(sized[name].sizes(), drawn[name].sizes()) << name;
        EXPECT_TRUE(sized[name].is_meta());
    }
    EXPECT_EQ(sized.elementCount(), drawn.elementCount());
}

TEST_P(ModelSuite, KeepsItsShapeInACheckpoint) {
    auto other = shape;
    EXPECT_EQ(other.toJson(), shape.toJson());
    other.model.heads = 1;
    EXPECT_NE(other.toJson(), shape.toJson());
    other = shape;
    other.model.text_places = 17;
    EXPECT_EQ(other.toJson() == shape.toJson(), !config::isWan(shape.model)) << "only Wan has them";
    EXPECT_EQ(ModelShape::fromJson(shape.toJson()).toJson(), shape.toJson());
    other = shape;
    other.model.recompute = "full";
    EXPECT_EQ(other.toJson(), shape.toJson()) << "how it is computed is no part of a model";
}

TEST_P(ModelSuite, TranslatesToDiffusersAndBack) {
    if (model->diffusersWeights().empty()) {
        EXPECT_THROW(toDiffusers(*model, weights), InputError);
        return;
    }
    const auto theirs = toDiffusers(*model, weights);
    EXPECT_EQ(theirs.elementCount(), weights.elementCount()) << "each number once";
    const auto back = fromDiffusers(*model, theirs);
    for (const auto& name : weights.names()) EXPECT_TRUE(at::equal(back[name], weights[name])) << name;
    EXPECT_THROW(fromDiffusers(*model, {}), InputError);
}

INSTANTIATE_TEST_SUITE_P(Families, ModelSuite, testing::ValuesIn(variants()),
                         [](const auto& family) { return family.param.name; });

/// A Wan that reads embeddings, in so many places.
std::unique_ptr<Model> wanOf(std::int64_t places) {
    auto shape = std::ranges::find(variants(), "wan_in_text_places", &Variant::name)->shape;
    shape.model.text_places = places;
    return makeModel(shape, at::kCPU);
}

TEST(TextPlaces, AreTheCaptionThenZerosWithoutAMask) {
    const auto model = wanOf(9), masked = wanOf(0);
    const auto weights = liveWeights(*model);
    auto input = batchFor(model->shape());  // 4 tokens, the last of the first caption masked
    const auto found = model->forward(weights, input).front();
    EXPECT_GT(largest(found - masked->forward(weights, input).front()), 1e-3) << "padding is read, too";
    auto longer = input;
    longer.text.embeddings =
        at::constant_pad_nd(input.text.embeddings * input.text.mask.unsqueeze(-1), {0, 0, 0, 5});
    longer.text.mask = at::Tensor();
    EXPECT_LT(largest(masked->forward(weights, longer).front() - found), 1e-6);
    // the longest caption of a batch does not matter, nor what stands behind a caption's last token
    longer.text.mask = at::constant_pad_nd(input.text.mask, {0, 5});
    longer.text.embeddings =
        longer.text.embeddings.masked_fill(longer.text.mask.logical_not().unsqueeze(-1), NAN);
    EXPECT_TRUE(at::equal(model->forward(weights, longer).front(), found));
}

TEST(TextPlaces, AreAPartOfTheShapeOfModelsThatHaveThem) {
    const auto with = wanOf(9)->shape().toJson(), without = wanOf(0)->shape().toJson();
    EXPECT_FALSE(without.contains("text_places")) << "as checkpoints of earlier versions";
    EXPECT_EQ(shapeDifferences(with, with), std::vector<std::string>{});
    EXPECT_EQ(shapeDifferences(without, without), std::vector<std::string>{});
    EXPECT_EQ(shapeDifferences(with, without),
              std::vector<std::string>{"text_places 9 there, 0 in the config"});
    EXPECT_EQ(shapeDifferences(without, with),
              std::vector<std::string>{"text_places 0 there, 9 in the config"});
}

TEST(TextPlaces, CutLongerCaptions) {
    const auto model = wanOf(2);
    const auto weights = liveWeights(*model);
    auto input = batchFor(model->shape());
    const auto found = model->forward(weights, input).front();
    input.text.embeddings = input.text.embeddings.narrow(1, 0, 2);
    input.text.mask = input.text.mask.narrow(1, 0, 2);
    EXPECT_TRUE(at::equal(model->forward(weights, input).front(), found));
}

TEST(ModelFamily, RefusesAFamilyThatItLacks) {
    auto shape = variants().front().shape;
    shape.model.family = "unet";
    EXPECT_THROW(makeModel(shape, at::kCPU), InputError);
}

}  // namespace
}  // namespace dailies::trainer
