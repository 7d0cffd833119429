#include "trainer/text/text_encoder.h"

#include "core/base/error.h"
#include "trainer/models/model_with_text_encoder.h"
#include "trainer/tensors/random_tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

namespace dailies::trainer {
namespace {

config::TrainConfig bytesConfig() {
    config::TrainConfig config;
    config.text.encoder = "bytes";
    config.text.tokens = 12;
    config.text.width = 16;
    config.text.heads = 2;
    return config;
}

ModelShape shapeOf(const config::TrainConfig& config) {
    ModelShape shape;
    shape.model = config.model;
    shape.model.width = 24;
    shape.model.heads = 2;
    shape.model.depth = 1;
    shape.frames = 2;
    shape.height = shape.width = 16;
    shape.textWidth = config.text.width;
    shape.text = config.text;
    return shape;
}

TEST(TextEncoderTest, BytesAreCutPaddedAndMasked) {
    const auto bytes = captionBytes({{"ab"}, {""}, {"abcdef"}}, 4);
    EXPECT_EQ(bytes.sizes(), (at::IntArrayRef{3, 4}));
    EXPECT_TRUE(at::equal(bytes[0], at::tensor({98, 99, 0, 0}, at::kLong)));
    EXPECT_TRUE(at::equal(bytes[2], at::tensor({98, 99, 100, 101}, at::kLong)));
    const auto mask = bytesMask(bytes);
    EXPECT_EQ(mask[0].sum().item<std::int64_t>(), 2);
    EXPECT_EQ(mask[1].sum().item<std::int64_t>(), 1) << "the empty caption is one token";
}

TEST(TextEncoderTest, EmbeddingsOfTheDataArePassedOnPadded) {
    const Vocabulary words({});
    const auto encoder = makeTextEncoder({}, words, 2, at::kCPU);
    const auto embeddings = floatArray({3, 2}, {1, 2, 3, 4, 5, 6});
    const auto text = encoder->encode({{"red", &embeddings}, {""}});
    EXPECT_EQ(text.embeddings.sizes(), (at::IntArrayRef{2, 3, 2}));
    EXPECT_EQ(text.embeddings[0][2][1].item<float>(), 6);
    EXPECT_EQ(text.embeddings[1].abs().max().item<float>(), 0);
    EXPECT_TRUE(at::equal(text.mask.sum(1), at::tensor({3, 1}, at::kLong)));
    EXPECT_FALSE(encoder->encodesPrompts());
}

TEST(TextEncoderTest, AModuleThatIsMissingIsNamed) {
    config::TrainConfig config;
    config.text.encoder = "torchscript";
    config.text.module = "/nowhere/text.jit";
    try {
        makeTextEncoder(config, Vocabulary({}), 0, at::kCPU);
        FAIL();
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("text.module: there is no file /nowhere/text.jit"));
    }
}

class ReadingModelTest : public testing::Test {
protected:
    at::Tensor output(const std::vector<Caption>& captions, const Params& weights) const {
        ModelInput input;
        const auto count = static_cast<std::int64_t>(captions.size());
        const auto one = normalTensor(3, {1, 2, 16, 16, 3});
        input.groups.push_back({one.expand({count, -1, -1, -1, -1}), {}, 8});
        input.times = at::full({count}, 0.5);
        input.text = makeTextEncoder(config, words, 0, at::kCPU)->encode(captions);
        return model->forward(weights, input).front();
    }
    Params lively() const {
        Params weights;
        const auto drawn = model->initialWeights(1);
        std::uint64_t key = 50;
        for (const auto& name : drawn.names())
            weights.add(name, drawn[name] + 0.1 * normalTensor(++key, drawn[name].sizes()));
        return weights;
    }

    const config::TrainConfig config = bytesConfig();
    const Vocabulary words{std::vector<std::string>{}};
    const std::unique_ptr<Model> model = makeModelWithTextEncoder(shapeOf(config), at::kCPU);
};

TEST_F(ReadingModelTest, ACaptionIsReadAloneAndInOrder) {
    const at::NoGradGuard noGradients;
    const auto weights = lively();
    const auto both = output({{"red ball"}, {"ball red up"}}, weights);
    const auto alone = output({{"red ball"}}, weights);
    EXPECT_LT((both[0] - alone[0]).abs().max().item<double>(), 1e-5) << "padding is not seen";
    EXPECT_GT((both[0] - output({{"ball red"}}, weights)[0]).abs().max().item<double>(), 1e-4);
    EXPECT_TRUE(at::isfinite(output({{""}}, weights)).all().item<bool>());
}

TEST_F(ReadingModelTest, ItsWeightsAreTheModelsAndGetGradients) {
    const auto weights = lively();
    for (const auto& weight : weights.tensors()) at::Tensor(weight).set_requires_grad(true);
    output({{"red ball"}, {"blue"}}, weights).square().sum().backward();
    std::size_t ofText = 0;
    for (const auto& name : weights.names()) {
        if (!name.starts_with("text.")) continue;
        ++ofText;
        ASSERT_TRUE(weights[name].grad().defined()) << name;
        EXPECT_GT(weights[name].grad().abs().max().item<double>(), 0) << name;
    }
    EXPECT_GT(ofText, 10U);
}

TEST_F(ReadingModelTest, AnotherEncoderIsAnotherShape) {
    auto other = shapeOf(config);
    other.text.depth += 1;
    EXPECT_NE(model->shape().toJson(), other.toJson());
}

}  // namespace
}  // namespace dailies::trainer
