#include "core/base/files.h"
#include "tests/trainer/pretrained/published.h"
#include "trainer/pretrained/families/sd_unet.h"
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
using unet::motionTensors;
using unet::unetTensors;

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

TEST_F(InspectStableDiffusion, RecognisesTheUnetWithAndWithoutMotionModules) {
    const auto plain = unetTensors({});
    ASSERT_EQ(plain.size(), 686U);
    ASSERT_EQ(parametersOf(plain), 859'520'964);
    const UnetSizes moving{.motion = {.places = 24, .middle = true}};
    struct Spelling {
        NamedShapes list;
        std::string names, prefix, model;
    };
    const auto original = unetOriginal(plain);
    // of a U-Net and of motion modules alone, each layer of attention with positions of its own
    const auto animated = [&](NamedShapes list) {
        const std::string norm = ".norm1.weight";
        for (const auto& [name, shape] : NamedShapes(list)) {
            if (name.find("motion_modules") == std::string::npos || !name.ends_with(norm)) continue;
            const auto block = name.substr(0, name.size() - norm.size());
            for (const auto* layer : {".attn1", ".attn2"})
                list.push_back({block + layer + ".pos_encoder.pe", {1, 24, shape.front()}});
        }
        return motionOriginal(list);
    };
    const std::vector<Spelling> spellings = {
        {plain, "diffusers", "", "Stable Diffusion 1"},
        {original, "ldm", "", "Stable Diffusion 1"},
        {withPrefix(original, "model.diffusion_model."), "ldm", "model.diffusion_model.",
         "Stable Diffusion 1"},
        {unetTensors({.outputs = 0}), "diffusers", "", "ReferenceNet of Animate Anyone"},
        {unetTensors(moving), "diffusers", "", "Stable Diffusion 1 with motion modules"},
        {animated(unetTensors(moving)), "animatediff", "", "Stable Diffusion 1 with motion modules"},
        {motionTensors(moving), "diffusers", "", "AnimateDiff motion modules v2"},
        {animated(motionTensors(moving)), "animatediff", "", "AnimateDiff motion modules v2"}};
    for (const auto& [list, names, prefix, model] : spellings) {
        writeHollow(file(), list);
        const auto part = onlyPart();
        EXPECT_EQ(part.at("model"), model);
        EXPECT_EQ(part.at("family"), model.starts_with("A") ? "motion_modules" : "sd15_unet");
        EXPECT_EQ(part.at("names"), names);
        EXPECT_EQ(part.at("prefix"), prefix);
        EXPECT_EQ(part.at("tensors"), list.size());
        EXPECT_THAT(words(part.at("missing")), IsEmpty()) << model << names;
        EXPECT_THAT(words(part.at("unknown")), IsEmpty()) << model << names;
        EXPECT_THAT(words(part.at("misshapen")), IsEmpty()) << model << names;
    }
    EXPECT_EQ(onlyPart().at("sizes").at("places"), 24);
    // motion modules that were silently not there made clips flicker
    auto lacking = animated(unetTensors(moving));
    std::erase_if(lacking, [](const auto& each) {
        return each.name == "up_blocks.3.motion_modules.2.temporal_transformer.proj_out.weight";
    });
    writeHollow(file(), lacking);
    EXPECT_THAT(words(onlyPart().at("missing")), ElementsAre("up_blocks.3.motion_modules.2.proj_out.weight"));
    EXPECT_FALSE(onlyPart().at("whole").get<bool>());
    lacking = plain;
    std::erase_if(lacking, [](const auto& each) { return each.name == "conv_out.bias"; });
    writeHollow(file(), lacking);
    EXPECT_THAT(words(onlyPart().at("missing")), ElementsAre("conv_out.bias")) << "no ReferenceNet";
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
        {"controlnet",
         {{"conv_in.weight", {320, 4, 3, 3}},
          {"controlnet_cond_embedding.conv_in.weight", {16, 3, 3, 3}},
          {"down_blocks.0.attentions.0.transformer_blocks.0.attn2.to_k.weight", {320, 768}}}},
        {"clip",
         {{"visual.conv1.weight", {1024, 3, 14, 14}},
          {"visual.transformer.resblocks.0.attn.in_proj_weight", {3072, 1024}}}},
        {"", {{"something.else", {3}}}}};
    for (const auto& [family, tensors] : parts) {
        writeHollow(file(), tensors);
        EXPECT_EQ(onlyPart().at("family"), family);
    }
    EXPECT_THAT(inspectionText(found()), HasSubstr("not recognised"));
}

}  // namespace
}  // namespace dailies::trainer::pretrained
