#include "trainer/tokenizers/condition_encoder.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "tests/trainer/pretrained/tiny_clip.h"
#include "tests/trainer/tokenizers/tiny_sd_vae.h"
#include "tests/trainer/tokenizers/tiny_wan_vae.h"
#include "trainer/models/clip/clip_pictures.h"
#include "trainer/tensors/random_tensor.h"
#include "trainer/tokenizers/clip_latents.h"
#include "trainer/tokenizers/tokenized_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <atomic>
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
    EXPECT_EQ(example.guide->poses.at(0).frames, 2) << "poses stay drawn";
    const auto prompted = source.guideOf(source.captions().front(), 1, 2);
    ASSERT_TRUE(prompted);
    EXPECT_EQ(prompted->reference.height, 32);
    EXPECT_FALSE(prompted->latents);
}

/// Clips that have names, and animate the same character; how often one was encoded the tokenizer tells.
class ClipsOfOne : public DataSource {
public:
    explicit ClipsOfOne(DataSource& figures) : m_example(figures.example(0)) {}
    std::int64_t size() const override { return 2; }
    Example example(std::int64_t) override { return m_example; }
    std::string identity(std::int64_t index) const override { return "clip " + std::to_string(index); }
    std::vector<std::string> captions() const override { return {m_example.caption}; }
    ValueScale valueScale() const override { return {}; }

private:
    Example m_example;
};

/// Counts the clips that it encodes.
class CountingTokenizer : public Tokenizer {
public:
    CountingTokenizer(const config::TrainConfig::Tokenizer& config, const Tokenizer& inner)
        : Tokenizer(config), m_inner(inner) {}
    std::string identity() const override { return m_inner.identity(); }
    mutable std::atomic<int> encoded = 0;

protected:
    at::Tensor encodePlanes(const at::Tensor& clips) const override {
        ++encoded;
        return m_inner.encode(clips.permute({0, 2, 3, 4, 1})).permute({0, 4, 1, 2, 3});
    }
    at::Tensor decodePlanes(const at::Tensor& latents) const override { return latents; }

private:
    const Tokenizer& m_inner;
};

TEST_F(ConditionEncoderTest, EncodesAReferencePictureOnceForAllClipsAndRuns) {
    const auto figures = makeDataSource(config);
    const CountingTokenizer counting(config.tokenizer, *tokenizer);
    const auto encoder = makeConditionEncoder(config.model, &counting, at::kCPU);
    const auto cache = folder.path() / "cache";
    CharacterGuide first;
    {
        TokenizedSource source(std::make_unique<ClipsOfOne>(*figures), counting, cache, encoder.get());
        first = *source.example(0).guide;
        EXPECT_EQ(counting.encoded, 2) << "the clip and its picture";
        EXPECT_TRUE(source.keep(1));
        EXPECT_EQ(counting.encoded, 3) << "another clip of the same character";
        source.flush();
    }
    TokenizedSource source(std::make_unique<ClipsOfOne>(*figures), counting, cache, encoder.get());
    for (std::int64_t i = 0; i < 2; ++i) {
        const auto guide = source.example(i).guide;
        EXPECT_EQ(guide->latents, first.latents);
        EXPECT_EQ(guide->embedding, first.embedding);
    }
    EXPECT_EQ(counting.encoded, 3);
}

/// Of a Wan that makes clips of images.
class ImageConditionTest : public testing::Test {
protected:
    ImageConditionTest() {
        writeWanVae(folder.path() / "vae.safetensors", tinyWanVae(/*residual=*/false));
        auto sizes = tinyClipVision();
        sizes.tower.projection = 0;  // Wan does not read it
        writeClipVision(folder.path() / "image_encoder", sizes);
        tower.emplace(sizes);
        towerWeights = clipVisionWeights(sizes);
        config.model.family = "wan";
        config.model.conditioning = "image";
        config.model.image_encoder = (folder.path() / "image_encoder").string();
        config.tokenizer.kind = "wan_vae";
        config.tokenizer.weights = (folder.path() / "vae.safetensors").string();
        config.tokenizer.channels = 4;
        config.data.frames = 9;
        config.data.height = 32;
        config.data.width = 48;
        tokenizer = makeTokenizer(config.tokenizer, at::kCPU);
        encoder = makeConditionEncoder(config.model, tokenizer.get(), at::kCPU);
    }

    RgbClip picture(int frames = 1) const {
        RgbClip clip{frames, 32, 48,
                     std::vector<std::uint8_t>(static_cast<std::size_t>(frames) * 32 * 48 * 3)};
        for (std::size_t i = 0; i < clip.rgb.size(); ++i)
            clip.rgb[i] = static_cast<std::uint8_t>(i * 7 % 251);
        return clip;
    }

    TemporaryFolder folder;
    config::TrainConfig config;
    std::optional<clip::VisionTower> tower;
    Params towerWeights;
    std::unique_ptr<Tokenizer> tokenizer;
    std::unique_ptr<ConditionEncoder> encoder;
};

TEST_F(ImageConditionTest, IsTheImageWithGreyFramesBehindItAndWhatClipSeesBeforeItsLastLayer) {
    EXPECT_TRUE(encoder->readsImages());
    EXPECT_EQ(encoder->width(), 32);
    const auto image = encoder->imageOf(picture(4), 9);
    const auto pixels = bytesOf(picture());
    auto padded = at::zeros({1, 9, 32, 48, 3});
    padded.narrow(1, 0, 1).copy_(pixels.unsqueeze(0).to(at::kFloat) / 127.5 - 1);
    EXPECT_EQ(image.latents, toArray(tokenizer->encode(padded)[0]));
    EXPECT_EQ(image.latents.shape, (std::vector<std::int64_t>{3, 4, 6, 4}));
    const auto squeezed = clip::encoderPictures(pixels.permute({0, 3, 1, 2}), 12, {false, false});
    ASSERT_TRUE(image.tokens);
    EXPECT_EQ(*image.tokens, toArray((*tower)(towerWeights, squeezed).penultimate[0]));
    EXPECT_EQ(image.tokens->shape, (std::vector<std::int64_t>{10, 32}));
}

/// Clips that have names, and tell how often their pixels were asked for.
class NamedClips : public DataSource {
public:
    explicit NamedClips(RgbClip clip) : m_clip(std::move(clip)) {}
    std::int64_t size() const override { return 2; }
    Example example(std::int64_t) override {
        ++decoded;
        return {.clip = m_clip, .caption = "a clip"};
    }
    Example withoutPixels(std::int64_t) override { return {.caption = "a clip"}; }
    std::string identity(std::int64_t index) const override { return "clip " + std::to_string(index); }
    std::vector<std::string> captions() const override { return {"a clip"}; }
    ValueScale valueScale() const override { return {}; }

    int decoded = 0;

private:
    RgbClip m_clip;
};

TEST_F(ImageConditionTest, IsKeptBesideTheLatentsOfItsClip) {
    const auto cache = folder.path() / "cache";
    Example fresh;
    {
        TokenizedSource source(std::make_unique<NamedClips>(picture(9)), *tokenizer, cache, nullptr);
        EXPECT_FALSE(source.example(0).image) << "text to video, which kept its latents";
        source.flush();
    }
    {
        TokenizedSource source(std::make_unique<NamedClips>(picture(9)), *tokenizer, cache, encoder.get());
        fresh = source.example(0);
        ASSERT_TRUE(fresh.image && fresh.image->tokens);
        EXPECT_EQ(fresh.image->latents, encoder->imageOf(picture(9), 9).latents);
        EXPECT_FALSE(source.keep(0)) << "it is there";
        EXPECT_TRUE(source.keep(1));
        source.flush();
    }
    auto clips = std::make_unique<NamedClips>(picture(9));
    const auto& counted = *clips;
    TokenizedSource source(std::move(clips), *tokenizer, cache, encoder.get());
    const auto kept = source.example(0);
    EXPECT_EQ(kept.latents, fresh.latents);
    EXPECT_EQ(kept.image->latents, fresh.image->latents);
    EXPECT_EQ(kept.image->tokens, fresh.image->tokens);
    EXPECT_EQ(source.example(1).image->tokens, fresh.image->tokens);
    EXPECT_EQ(counted.decoded, 0);
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
