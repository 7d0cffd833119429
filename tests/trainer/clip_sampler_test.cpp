#include "trainer/clip_sampler.h"

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
        return {.words = captionCounts(m_vocabulary, texts)};
    }

    mutable std::vector<std::vector<std::string>> heard;

private:
    const Vocabulary& m_vocabulary;
};

std::vector<std::vector<std::string>> heardAtGuidance(double guidance) {
    config::TrainConfig config;
    config.model.width = 24;
    config.model.heads = 2;
    config.model.depth = 1;
    config.data.frames = 2;
    config.data.height = config.data.width = 16;
    config.sampling.steps = 2;
    config.sampling.guidance = guidance;
    const auto source = makeDataSource(config);
    const auto vocabulary = Vocabulary::ofCaptions(source->captions());
    const Listening text(vocabulary);
    const ModelShape shape{config.model, 2, 16, 16, vocabulary.tokenCount()};
    const auto model = makeModel(shape, at::kCPU);
    const ClipSampler sampler(config, text, nullptr, source->valueScale(), *model, at::kCPU, 2);
    const auto clips =
        sampler.sample({{"red square left", 1}, {"blue circle up", 1}}, model->initialWeights(1));
    EXPECT_EQ(clips.size(), 2U);
    return text.heard;
}

TEST(ClipSamplerTest, ReadsNoEmptyCaptionWhereGuidanceComparesWithNone) {
    EXPECT_THAT(heardAtGuidance(1), ElementsAre(ElementsAre("red square left", "blue circle up")));
}

TEST(ClipSamplerTest, ReadsAnEmptyCaptionForEachPromptThatGuidanceComparesWithIt) {
    EXPECT_THAT(heardAtGuidance(3), ElementsAre(ElementsAre("red square left", "blue circle up"),
                                                ElementsAre("red square left", "blue circle up", "", "")));
}

}  // namespace
}  // namespace dailies::trainer
