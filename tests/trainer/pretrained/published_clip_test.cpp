#include "trainer/pretrained/published_clip.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "trainer/serialization/safetensors.h"
#include "trainer/tensors/random_tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

namespace dailies::trainer::pretrained {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

class PublishedClipTest : public testing::Test {
    const TemporaryFolder m_folder;

protected:
    const std::filesystem::path m_pipeline = m_folder.path();
    const clip::TowerSizes m_tower{.width = 32, .layers = 2, .heads = 4, .hidden = 48, .projection = 8};
    const clip::VisionSizes m_vision{.tower = m_tower, .patch = 4, .side = 12};
    const clip::TextSizes m_text{.tower = m_tower, .vocabulary = 30, .places = 9};
    const Json m_settings = {{"num_attention_heads", 4}, {"hidden_act", "gelu"}};

    static at::Tensor value(const NamedShape& each) {
        return normalTensor(std::hash<std::string>{}(each.name), each.shape);
    }
    static Params numbers(const NamedShapes& list) {
        Params weights;
        for (const auto& each : list) weights.add(each.name, value(each));
        return weights;
    }
    /// One part of a pipeline.
    void write(const std::string& part, const Params& weights, const Json& config) const {
        std::filesystem::create_directories(m_pipeline / part);
        writeSafetensors(m_pipeline / part / "model.safetensors", weights);
        writeFileAtomically(m_pipeline / part / "config.json", config.dump());
    }
    void writeVision(const Json& config) const {
        write("image_encoder", numbers(clip::visionTensors(m_vision)), config);
    }
    static void expectWeights(const Params& weights, const NamedShapes& list) {
        ASSERT_EQ(weights.names().size(), list.size());
        for (const auto& each : list) EXPECT_TRUE(at::equal(weights[each.name], value(each))) << each.name;
    }
};

TEST_F(PublishedClipTest, IsReadFromItsPartOfAPipeline) {
    writeVision(m_settings);
    write("text_encoder", numbers(clip::textTensors(m_text)), m_settings);
    const auto vision = readPublishedClipVision("model.clip", m_pipeline);
    expectWeights(vision.weights, clip::visionTensors(m_vision));
    EXPECT_EQ(vision.sizes.side, 12);
    EXPECT_EQ(vision.sizes.tower.heads, 4);
    EXPECT_EQ(vision.sizes.tower.activation, "gelu");
    const auto text = readPublishedClipText("text.weights", m_pipeline);
    expectWeights(text.weights, clip::textTensors(m_text));
    EXPECT_EQ(text.sizes.places, 9);
}

TEST_F(PublishedClipTest, IsReadFromAWholeModelWithNumbersOfPlaces) {
    auto list = clip::visionTensors(m_vision);
    std::ranges::copy(clip::textTensors(m_text), std::back_inserter(list));
    auto weights = numbers(list);
    weights.add("logit_scale", at::full({}, 2.66F));
    weights.add("vision_model.embeddings.position_ids", at::arange(10, at::kLong).unsqueeze(0));
    weights.add("text_model.embeddings.position_ids", at::arange(9, at::kLong).unsqueeze(0));
    write("clip", weights, {{"vision_config", m_settings}, {"text_config", {{"num_attention_heads", 2}}}});
    const auto vision = readPublishedClipVision("model.clip", m_pipeline / "clip");
    expectWeights(vision.weights, clip::visionTensors(m_vision));
    EXPECT_EQ(vision.sizes.tower.heads, 4);
    const auto text = readPublishedClipText("text.weights", m_pipeline / "clip/model.safetensors");
    expectWeights(text.weights, clip::textTensors(m_text));
}

TEST_F(PublishedClipTest, RefusesWhatIsNotThereOrComputesOtherwise) {
    write("text_encoder", numbers(clip::textTensors(m_text)), m_settings);
    const auto read = [&] { readPublishedClipVision("model.clip", m_pipeline); };
    EXPECT_THAT(read, ThrowsMessage<InputError>(HasSubstr("holds no CLIP image encoder: clip_text")));
    const auto expectRefused = [&](const char* key, const Json& found, const std::string& message) {
        auto config = m_settings;
        config[key] = found;
        writeVision(config);
        EXPECT_THAT(read, ThrowsMessage<InputError>(HasSubstr(message)));
    };
    expectRefused("hidden_act", "relu", "has the activation relu, expected quick_gelu or gelu");
    expectRefused("num_attention_heads", 5, "a width of 32, which its 5 heads do not divide");
    expectRefused("layer_norm_eps", 1e-6, "layer_norm_eps 1e-06, expected 1e-05");
    auto weights = numbers(clip::visionTensors(m_vision));
    weights["vision_model.pre_layrnorm.bias"].fill_(std::numeric_limits<float>::infinity());
    write("image_encoder", weights, m_settings);
    EXPECT_THAT(read, ThrowsMessage<InputError>(HasSubstr("vision_model.pre_layrnorm.bias")));
}

}  // namespace
}  // namespace dailies::trainer::pretrained
