#include "trainer/inference/clip_sampler.h"

#include "tests/trainer/models/families.h"
#include "trainer/data/data_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

namespace dailies::trainer {
namespace {

using testing::ElementsAre;

/// Encodes words and remembers what it was asked to.
class Listening : public TextEncoder {
public:
    explicit Listening(const Vocabulary& vocabulary) : m_vocabulary(vocabulary) {}

    TextInput encode(const std::vector<Caption>& captions) const override {
        std::vector<std::string> texts;
        for (const auto& caption : captions) texts.push_back(caption.text);
        heard.push_back(texts);
        return {.words = bagOfWords(m_vocabulary, texts)};
    }

    mutable std::vector<std::vector<std::string>> heard;

private:
    const Vocabulary& m_vocabulary;
};

/// Latents are pixels; counts how often they are turned into these.
class Counting : public Tokenizer {
public:
    Counting() : Tokenizer(asPixels()) {}
    std::string identity() const override { return "counting"; }
    mutable int decoded = 0;

protected:
    at::Tensor encodePlanes(const at::Tensor& clips) const override { return clips; }
    at::Tensor decodePlanes(const at::Tensor& latents) const override {
        ++decoded;
        return latents;
    }

private:
    static config::TrainConfig::Tokenizer asPixels() {
        config::TrainConfig::Tokenizer config;
        config.channels = 3;
        config.frames_factor = config.space_factor = 1;
        return config;
    }
};

/// A sampler of a small model, with what it is made of.
struct Small {
    explicit Small(double guidance) : config(configAt(guidance)) {}

    static config::TrainConfig configAt(double guidance) {
        config::TrainConfig config;
        config.model.width = 24;
        config.model.heads = 2;
        config.model.depth = 1;
        config.data.frames = 2;
        config.data.height = config.data.width = 16;
        config.sampling.steps = 2;
        config.sampling.guidance = guidance;
        return config;
    }

    const std::vector<SampleRequest> requests = {{"red square left", 1}, {"blue circle up", 1}};
    config::TrainConfig config;
    std::unique_ptr<DataSource> source = makeDataSource(config);
    Vocabulary vocabulary = Vocabulary::ofCaptions(source->captions());
    Listening text{vocabulary};
    Counting tokenizer;
    std::unique_ptr<Model> model =
        makeModel(ModelShape{config.model, 2, 16, 16, vocabulary.tokenCount()}, at::kCPU);
    Params weights = model->initialWeights(1);

    const OtherExpert* other = nullptr;

    ClipSampler sampler(const Tokenizer* ofLatents = nullptr) const {
        return {config, {text, ofLatents, nullptr, source->valueScale(), *model, at::kCPU, other}, 2};
    }
};

std::vector<std::vector<std::string>> heardAtGuidance(double guidance) {
    const Small small(guidance);
    EXPECT_EQ(small.sampler().sample(small.requests, small.weights).size(), 2U);
    return small.text.heard;
}

TEST(ClipSamplerTest, ReadsNoEmptyCaptionWhereGuidanceComparesWithNone) {
    EXPECT_THAT(heardAtGuidance(1), ElementsAre(ElementsAre("red square left", "blue circle up")));
}

TEST(ClipSamplerTest, ReadsAnEmptyCaptionForEachPromptThatGuidanceComparesWithIt) {
    EXPECT_THAT(heardAtGuidance(3), ElementsAre(ElementsAre("red square left", "blue circle up"),
                                                ElementsAre("red square left", "blue circle up", "", "")));
}

TEST(ClipSamplerTest, ReadsTheNegativePromptInThePlaceOfAnEmptyCaption) {
    const auto sampledAt = [](double guidance, const std::string& negative) {
        Small small(guidance);
        small.config.sampling.negative_prompt = negative;
        // fresh weights leave out what they read
        auto clips = small.sampler().sample(small.requests, liveWeights(*small.model));
        return std::pair(std::move(clips), small.text.heard.back());
    };
    const auto [clips, heard] = sampledAt(3, "blue circle up");
    EXPECT_THAT(heard, ElementsAre("red square left", "blue circle up", "blue circle up", "blue circle up"));
    const auto alone = sampledAt(1, "").first, withEmpty = sampledAt(3, "").first;
    const auto farthest = [](const RgbClip& a, const RgbClip& b) {
        int most = 0;
        for (std::size_t i = 0; i < a.rgb.size(); ++i) most = std::max(most, std::abs(a.rgb[i] - b.rgb[i]));
        return most;
    };
    EXPECT_LE(farthest(clips[1], alone[1]), 1) << "nothing leads away from itself";
    EXPECT_GT(farthest(withEmpty[1], alone[1]), 1) << "as no caption does";
    EXPECT_GT(farthest(clips[0], withEmpty[0]), 1);
    EXPECT_GT(farthest(clips[0], alone[0]), 1);
}

TEST(ClipSamplerTest, OtherStagesOfAModelHelpWithoutMakingPictures) {
    const Small small(1);
    const auto sampler = small.sampler(&small.tokenizer);
    sampler.participate(small.requests, small.weights);
    EXPECT_EQ(small.text.heard.size(), 1U) << "the same passes";
    EXPECT_EQ(small.tokenizer.decoded, 0);
    EXPECT_EQ(sampler.sample(small.requests, small.weights).size(), 2U);
    EXPECT_EQ(small.tokenizer.decoded, 2);
}

}  // namespace
}  // namespace dailies::trainer
