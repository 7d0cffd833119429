#include "core/base/files.h"
#include "tests/trainer/pretrained/published.h"
#include "trainer/pretrained/families/clip.h"
#include "trainer/pretrained/inspection.h"

#include <gmock/gmock.h>

#include <algorithm>

// CLIP's encoders at their true names and shapes, from files that hold only headers.

namespace dailies::trainer::pretrained {
namespace {

using clip::TextSizes;
using clip::textTensors;
using clip::TowerSizes;
using clip::VisionSizes;
using clip::visionTensors;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const VisionSizes kHuge{
    .tower = {
        .width = 1280, .layers = 32, .heads = 16, .hidden = 5120, .projection = 1024, .activation = "gelu"}};

TextSizes projected() {
    TextSizes sizes;
    sizes.tower.projection = 768;
    return sizes;
}

/// As a whole CLIPModel has them.
NamedShapes both() {
    auto all = visionTensors({});
    std::ranges::copy(textTensors(projected()), std::back_inserter(all));
    all.push_back({"logit_scale", {}});
    return all;
}

NamedShapes without(NamedShapes list, const std::string& name) {
    std::erase_if(list, [&](const NamedShape& each) { return each.name == name; });
    return list;
}

/// As transformers 5 saves encoders that have no projection.
NamedShapes bare(NamedShapes list, const std::string& model) {
    for (auto& each : list)
        if (each.name.starts_with(model)) each.name = each.name.substr(model.size());
    return list;
}

class InspectClip : public testing::Test {
protected:
    Json part(const NamedShapes& list, const Json& config = {}) const {
        const auto file = m_folder.path() / "model.safetensors", beside = m_folder.path() / "config.json";
        writeHollow(file, list);
        std::filesystem::remove(beside);
        if (!config.is_null()) writeFileAtomically(beside, config.dump());
        const auto found =
            inspectWeights(config.is_null() ? file : m_folder.path(), [](const Json&) { return OwnModel(); });
        EXPECT_THAT(found.at("parts"), SizeIs(1)) << found.dump(1);
        return found.at("parts").front();
    }

private:
    TemporaryFolder m_folder;
};

void expectWhole(const Json& part) {
    EXPECT_TRUE(part.at("checked").get<bool>());
    EXPECT_EQ(part.at("missing"), Json::array());
    EXPECT_EQ(part.at("unknown"), Json::array());
    EXPECT_EQ(part.at("misshapen"), Json::array());
}

TEST_F(InspectClip, RecognisesEachEncoderAndAWholeModel) {
    auto noProjection = kHuge;
    noProjection.tower.projection = 0;
    struct Row {
        NamedShapes list;
        std::string family, model;
    };
    const std::vector<Row> rows = {
        {visionTensors({}), "clip_vision", "CLIP ViT-L/14 image encoder"},
        {visionTensors(kHuge), "clip_vision", "CLIP ViT-H/14 image encoder"},
        {visionTensors(noProjection), "clip_vision", "CLIP ViT-H/14 image encoder"},
        {bare(visionTensors(noProjection), "vision_model."), "clip_vision", "CLIP ViT-H/14 image encoder"},
        {textTensors({}), "clip_text", "CLIP ViT-L/14 text encoder"},
        {textTensors(projected()), "clip_text", "CLIP ViT-L/14 text encoder"},
        {bare(textTensors({}), "text_model."), "clip_text", "CLIP ViT-L/14 text encoder"},
        {withPrefix(textTensors({}), "cond_stage_model.transformer."), "clip_text",
         "CLIP ViT-L/14 text encoder"},
        {both(), "clip", "CLIP ViT-L/14"}};
    for (const auto& [list, family, model] : rows) {
        SCOPED_TRACE(model + ", " + std::to_string(list.size()));
        const auto found = part(list);
        EXPECT_EQ(found.at("family"), family);
        EXPECT_EQ(found.at("model"), model);
        EXPECT_EQ(found.at("names"), "transformers");
        EXPECT_EQ(found.at("parameters"), parametersOf(list));
        expectWhole(found);
    }
}

TEST_F(InspectClip, SaysSizesThatShapesTellAndThoseThatTheConfigTells) {
    auto sizes = part(visionTensors(kHuge)).at("sizes");
    EXPECT_EQ(sizes.at("image_dim"), 1280);
    EXPECT_EQ(sizes.at("image_layers"), 32);
    EXPECT_EQ(sizes.at("image_heads"), 16) << "as published";
    EXPECT_EQ(sizes.at("image_activation"), "gelu") << "as published";
    EXPECT_EQ(sizes.at("image_projection"), 1024);
    EXPECT_EQ(sizes.at("side"), 224);
    auto large = VisionSizes();
    large.side = 336;
    sizes = part(visionTensors(large)).at("sizes");
    EXPECT_EQ(sizes.at("side"), 336) << "by its 577 positions";
    EXPECT_EQ(sizes.at("image_activation"), "quick_gelu");
    // LAION's ViT-L/14 has the shapes of OpenAI's
    sizes = part(visionTensors({}), {{"hidden_act", "gelu"}, {"num_attention_heads", 8}}).at("sizes");
    EXPECT_EQ(sizes.at("image_activation"), "gelu");
    EXPECT_EQ(sizes.at("image_heads"), 8);
    sizes = part(both(),
                 {{"vision_config", {{"hidden_act", "gelu"}}}, {"text_config", {{"num_attention_heads", 4}}}})
                .at("sizes");
    EXPECT_EQ(sizes.at("image_activation"), "gelu");
    EXPECT_EQ(sizes.at("text_activation"), "quick_gelu");
    EXPECT_EQ(sizes.at("text_heads"), 4);
    EXPECT_EQ(clipVisionSizes(sizes).tower.heads, 16);
    EXPECT_EQ(clipTextSizes(sizes).places, 77);
}

TEST_F(InspectClip, TellsWhatIsMissingAndWhatIsLeftOver) {
    auto list = without(visionTensors({}), "vision_model.encoder.layers.7.mlp.fc2.bias");
    list.push_back({"vision_model.encoder.layers.7.mlp.fc3.bias", {1024}});
    const auto found = part(list);
    EXPECT_THAT(found.at("missing"), ElementsAre("vision_model.encoder.layers.7.mlp.fc2.bias"));
    EXPECT_THAT(found.at("unknown"), ElementsAre("vision_model.encoder.layers.7.mlp.fc3.bias"));
    EXPECT_FALSE(found.at("whole").get<bool>());
    for (const std::string name :
         {"vision_model.embeddings.class_embedding", "vision_model.pre_layrnorm.weight"})
        EXPECT_THAT(part(without(visionTensors({}), name)).at("missing"), ElementsAre(name));
    for (const std::string name : {"visual_projection.weight", "text_projection.weight", "logit_scale"})
        EXPECT_THAT(part(without(both(), name)).at("missing"), ElementsAre(name)) << "a whole model has it";
}

TEST_F(InspectClip, NumbersOfPlacesOfOlderFilesAreNothingStrange) {
    auto list = both();
    list.push_back({"vision_model.embeddings.position_ids", {1, 257}});
    list.push_back({"text_model.embeddings.position_ids", {1, 77}});
    expectWhole(part(list));
}

TEST_F(InspectClip, AnotherEncoderWithLayersOfTheSameNamesIsNotTakenForIt) {
    auto siglip = without(without(without(visionTensors({}), "vision_model.pre_layrnorm.weight"),
                                  "vision_model.pre_layrnorm.bias"),
                          "vision_model.embeddings.class_embedding");
    siglip.push_back({"vision_model.head.probe", {1, 1, 1024}});
    std::ranges::copy(textTensors({}), std::back_inserter(siglip));
    siglip.push_back({"text_model.head.weight", {768, 768}});
    EXPECT_EQ(part(siglip).at("family"), "");
}

}  // namespace
}  // namespace dailies::trainer::pretrained
