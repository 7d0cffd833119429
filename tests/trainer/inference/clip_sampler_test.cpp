#include "trainer/inference/clip_sampler.h"

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

    ClipSampler sampler(const Tokenizer* ofLatents = nullptr) const {
        return {config, text, ofLatents, source->valueScale(), *model, at::kCPU, 2};
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
    Small small(3);
    small.config.sampling.negative_prompt = "blue circle up";
    const auto clips = small.sampler().sample(small.requests, small.weights);
    EXPECT_THAT(small.text.heard.back(),
                ElementsAre("red square left", "blue circle up", "blue circle up", "blue circle up"));
    Small unguided(1), withEmpty(3);
    const auto alone = unguided.sampler().sample(unguided.requests, unguided.weights);
    const auto guided = withEmpty.sampler().sample(withEmpty.requests, withEmpty.weights);
    EXPECT_EQ(clips[1].rgb, alone[1].rgb) << "nothing leads away from itself";
    EXPECT_NE(clips[0].rgb, guided[0].rgb);
    EXPECT_NE(clips[0].rgb, alone[0].rgb);
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
