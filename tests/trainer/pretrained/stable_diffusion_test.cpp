#include "core/base/files.h"
#include "tests/trainer/pretrained/published.h"
#include "trainer/pretrained/families/sd_vae.h"
#include "trainer/pretrained/inspection.h"

#include <gmock/gmock.h>

#include <tuple>

// The networks of Stable Diffusion at their true names and shapes, from files that hold only headers.

namespace dailies::trainer::pretrained {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> words(const Json& list) {
    return list.get<std::vector<std::string>>();
}

class InspectStableDiffusion : public testing::Test {
protected:
    std::filesystem::path file() const { return m_folder.path() / "model.safetensors"; }
    Json found() const {
        return inspectWeights(file(), [](const Json&) { return OwnModel(); });
    }
    Json onlyPart() const {
        const auto inspection = found();
        EXPECT_EQ(inspection.at("parts").size(), 1U) << inspection.dump(1);
        return inspection.at("parts").front();
    }

private:
    TemporaryFolder m_folder;
};

TEST_F(InspectStableDiffusion, RecognisesTheAutoencoderInEverySpelling) {
    const auto list = sdVaeTensors({});
    ASSERT_EQ(list.size(), 248U);
    ASSERT_EQ(parametersOf(list), 83'653'863);
    const auto original = sdVaeOriginal(sdVaeTensors({}, /*asConvolutions=*/true));
    const std::vector<std::tuple<NamedShapes, std::string, std::string>> spellings = {
        {list, "diffusers", ""},
        {sdVaeDiffusers016(list), "diffusers", ""},
        {original, "ldm", ""},
        {withPrefix(original, "first_stage_model."), "ldm", "first_stage_model."}};
    for (const auto& [names, spelling, prefix] : spellings) {
        writeHollow(file(), names);
        const auto part = onlyPart();
        EXPECT_EQ(part.at("family"), "autoencoder_kl");
        EXPECT_EQ(part.at("model"), "Stable Diffusion VAE");
        EXPECT_EQ(part.at("names"), spelling);
        EXPECT_EQ(part.at("prefix"), prefix);
        EXPECT_EQ(part.at("sizes").at("channels"), (Json{128, 256, 512, 512}));
        EXPECT_EQ(part.at("sizes").at("space_factor"), 8);
        EXPECT_THAT(words(part.at("missing")), IsEmpty());
        EXPECT_THAT(words(part.at("unknown")), IsEmpty());
        EXPECT_THAT(words(part.at("misshapen")), IsEmpty()) << spelling;
        EXPECT_THAT(words(part.at("read_by")), Contains("Dailies"));
    }
    auto lacking = original;
    std::erase_if(lacking, [](const auto& each) { return each.name == "decoder.up.3.block.1.norm1.weight"; });
    lacking.push_back({"decoder.up.3.block.7.norm1.weight", {512}});
    writeHollow(file(), lacking);
    EXPECT_THAT(words(onlyPart().at("missing")), ElementsAre("decoder.up_blocks.0.resnets.1.norm1.weight"));
    EXPECT_THAT(words(onlyPart().at("unknown")), ElementsAre("decoder.up.3.block.7.norm1.weight"));
}

TEST_F(InspectStableDiffusion, TellsPartsByTheirNames) {
    const std::vector<std::pair<std::string, NamedShapes>> parts = {
        {"sd15_unet",
         {{"conv_in.weight", {320, 4, 3, 3}},
          {"down_blocks.0.attentions.0.transformer_blocks.0.attn2.to_k.weight", {320, 768}}}},
        {"unet",
         {{"conv_in.weight", {320, 4, 3, 3}},
          {"down_blocks.0.attentions.0.transformer_blocks.0.attn2.to_k.weight", {320, 1024}}}},
        {"autoencoder_kl",
         {{"encoder.conv_in.weight", {128, 3, 3, 3}},
          {"encoder.down_blocks.0.resnets.0.norm1.bias", {128}},
          {"decoder.conv_out.weight", {3, 128, 3, 3}}}},
        {"clip", {{"text_model.embeddings.token_embedding.weight", {49408, 768}}}},
        {"", {{"something.else", {3}}}}};
    for (const auto& [family, tensors] : parts) {
        writeHollow(file(), tensors);
        EXPECT_EQ(onlyPart().at("family"), family);
    }
    EXPECT_THAT(inspectionText(found()), HasSubstr("not recognised"));
}

}  // namespace
}  // namespace dailies::trainer::pretrained
