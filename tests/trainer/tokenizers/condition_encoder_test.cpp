#include "trainer/tokenizers/condition_encoder.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "tests/trainer/pretrained/tiny_clip.h"
#include "tests/trainer/tokenizers/tiny_sd_vae.h"
#include "trainer/models/clip/clip_pictures.h"
#include "trainer/tensors/random_tensor.h"
#include "trainer/tokenizers/clip_latents.h"
#include "trainer/tokenizers/tokenized_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <cstring>

namespace dailies::trainer {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class ConditionEncoderTest : public testing::Test {
protected:
    ConditionEncoderTest() {
        writeSdVae(folder.path() / "vae.safetensors", tinySdVae());
        writeClipVision(folder.path() / "image_encoder", tinyClipVision());
        config.model.family = "animate";
        config.model.image_encoder = (folder.path() / "image_encoder").string();
        config.tokenizer.kind = "sd_vae";
        config.tokenizer.weights = (folder.path() / "vae.safetensors").string();
        config.tokenizer.frames_factor = 1;
        config.tokenizer.channels = 4;
        config.data.source = "figures";
        config.data.frames = 2;
        config.data.height = 32;
        config.data.width = 48;
        tokenizer = makeTokenizer(config.tokenizer, at::kCPU);
    }

    std::unique_ptr<ConditionEncoder> encoder() const {
        return makeConditionEncoder(config.model, tokenizer.get(), at::kCPU);
    }
    std::string refusal() const {
        try {
            encoder();
        } catch (const InputError& error) {
            return error.full();
        }
        return "";
    }

    TemporaryFolder folder;
    config::TrainConfig config;
    std::unique_ptr<Tokenizer> tokenizer;
};

TEST_F(ConditionEncoderTest, GivesTheTokenizersLatentsAndWhatClipSeesOfThePicture) {
    const auto encoder = this->encoder();
    EXPECT_EQ(encoder->width(), 8);
    CharacterGuide guide;
    guide.reference = {1, 32, 48, std::vector<std::uint8_t>(32 * 48 * 3)};
    for (std::size_t i = 0; i < guide.reference.rgb.size(); ++i)
        guide.reference.rgb[i] = static_cast<std::uint8_t>(i * 7 % 251);
    encoder->encode(guide);
    ASSERT_TRUE(guide.latents && guide.embedding);
    EXPECT_EQ(guide.latents->shape, (std::vector<std::int64_t>{1, 4, 6, 4}));
    const auto pixels = bytesOf(guide.reference);
    EXPECT_EQ(*guide.latents, toArray(tokenizer->encode(pixels.unsqueeze(0).to(at::kFloat) / 127.5 - 1)[0]));
    const auto pictures = clip::encoderPictures(pixels.permute({0, 3, 1, 2}), 12);
    const clip::VisionTower tower(tinyClipVision());
    EXPECT_EQ(*guide.embedding, toArray(tower(clipVisionWeights(tinyClipVision()), pictures).projected));
    EXPECT_EQ(guide.embedding->shape, (std::vector<std::int64_t>{1, 8}));
}

TEST_F(ConditionEncoderTest, EncodesTheGuidesOfTrainingClipsAndLeavesThoseOfPromptsToTheSampler) {
    const auto encoder = this->encoder();
    TokenizedSource source(makeDataSource(config), *tokenizer, {}, encoder.get());
    const auto example = source.example(3);
    ASSERT_TRUE(example.guide && example.guide->latents && example.guide->embedding);
    EXPECT_EQ(example.latents->shape, (std::vector<std::int64_t>{2, 4, 6, 4}));
    EXPECT_EQ(*example.guide->latents, latentsOf(*tokenizer, example.guide->reference));
    EXPECT_EQ(example.guide->poses.frames, 2) << "poses stay drawn";
    const auto prompted = source.guideOf(source.captions().front(), 1, 2);
    ASSERT_TRUE(prompted);
    EXPECT_EQ(prompted->reference.height, 32);
    EXPECT_FALSE(prompted->latents);
}

TEST_F(ConditionEncoderTest, IsToldApartByItsWeightsAndByWhatTheyMean) {
    const auto first = encoder()->identity();
    EXPECT_EQ(encoder()->identity(), first);
    auto sizes = tinyClipVision();
    sizes.tower.heads = 2;
    writeClipVision(folder.path() / "image_encoder", sizes);
    EXPECT_NE(encoder()->identity(), first);
    writeClipVision(folder.path() / "image_encoder", tinyClipVision(), 2);
    EXPECT_NE(encoder()->identity(), first);
}

TEST_F(ConditionEncoderTest, WithoutAnImageEncoderGivesLatentsAlone) {
    config.model.image_encoder.clear();
    const auto encoder = this->encoder();
    EXPECT_EQ(encoder->width(), 0);
    EXPECT_EQ(encoder->identity(), "");
    CharacterGuide guide;
    guide.reference = {1, 8, 8, std::vector<std::uint8_t>(8 * 8 * 3, 100)};
    encoder->encode(guide);
    EXPECT_TRUE(guide.latents);
    EXPECT_FALSE(guide.embedding);
}

TEST_F(ConditionEncoderTest, IsOfModelsOfCharactersOnLatentsOnly) {
    EXPECT_EQ(makeConditionEncoder(config.model, nullptr, at::kCPU), nullptr);
    config.model.family = "dit";
    EXPECT_EQ(encoder(), nullptr);
}

TEST_F(ConditionEncoderTest, RefusesWhatHasNoEmbeddingToRead) {
    auto sizes = tinyClipVision();
    sizes.tower.projection = 0;
    writeClipVision(folder.path() / "image_encoder", sizes);
    EXPECT_THAT(refusal(), AllOf(HasSubstr("model.image_encoder: the CLIP of "),
                                 HasSubstr("has no visual_projection"), HasSubstr("WithProjection")));
    config.model.image_encoder = config.tokenizer.weights;
    EXPECT_THAT(refusal(), AllOf(HasSubstr("model.image_encoder"), HasSubstr("no CLIP image encoder")));
    config.model.image_encoder = "/nowhere";
    EXPECT_THAT(refusal(), HasSubstr("model.image_encoder"));
}

}  // namespace
}  // namespace dailies::trainer
