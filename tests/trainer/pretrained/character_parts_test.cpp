#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "tests/trainer/pretrained/published.h"
#include "trainer/models/animate/animate.h"
#include "trainer/pretrained/initial_weights.h"
#include "trainer/serialization/safetensors.h"
#include "trainer/tensors/random_tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <limits>
#include <set>

namespace dailies::trainer::pretrained {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

ModelShape smallCharacterShape(const std::string& motion = "v2") {
    ModelShape shape;
    shape.model.family = "animate";
    shape.model.width = 16;
    shape.model.depth = 1;
    shape.model.heads = 2;
    shape.model.patch_size = 1;
    shape.model.motion = motion;
    shape.channels = 4;
    shape.latentPixels = 8;
    shape.imageWidth = 6;
    return shape;
}

/// A small model of characters, whose parts are written as they are published.
class CharacterPartsTest : public testing::Test {
protected:
    CharacterPartsTest() {
        const auto shapes = model.weightsOnMeta();
        for (const auto& name : shapes.names())
            weights.add(name, normalTensor(std::hash<std::string>{}(name), shapes[name].sizes()));
        for (const auto* name : {"conv_norm_out.weight", "conv_norm_out.bias"})
            outputs.add(name, at::ones({16}));
        outputs.add("conv_out.weight", at::ones({4, 16, 3, 3}));
        outputs.add("conv_out.bias", at::ones({4}));
        writeFileAtomically(folder.path() / "config.json", settings.dump());
    }

    std::filesystem::path file(const std::string& name) const { return folder.path() / name; }
    static bool moves(const std::string& name) { return name.find("motion_modules") != std::string::npos; }

    /// Of one net of the model, without its motion modules.
    Params net(const std::string& prefix) const {
        Params some;
        for (const auto& name : weights.names())
            if (name.starts_with(prefix) && !moves(name)) some.add(name.substr(prefix.size()), weights[name]);
        return some;
    }
    /// In AnimateDiff's names, each layer with its positions.
    Params motionFile() const {
        const std::string prefix = "denoiser.";
        NamedShapes names;
        std::vector<at::Tensor> values;
        for (const auto& name : weights.names()) {
            if (!moves(name)) continue;
            names.push_back({name.substr(prefix.size()), weights[name].sizes().vec()});
            values.push_back(weights[name]);
        }
        names = motionOriginal(std::move(names));
        Params all;
        for (std::size_t i = 0; i < names.size(); ++i) {
            all.add(names[i].name, values[i]);
            const std::string norm = "norms.0.weight";
            if (!names[i].name.ends_with(norm)) continue;
            const auto block = names[i].name.substr(0, names[i].name.size() - norm.size());
            for (const auto* layer : {"attention_blocks.0", "attention_blocks.1"})
                all.add(block + layer + ".pos_encoder.pe", at::zeros({1, 32, names[i].shape.front()}));
        }
        return all;
    }
    /// With a layer of its other half.
    Params controlNet() const {
        Params all;
        const auto guider = net("guider.");
        for (const auto& name : guider.names()) all.add("controlnet_cond_embedding." + name, guider[name]);
        all.add("controlnet_down_blocks.0.weight", at::ones({16, 16, 1, 1}));
        return all;
    }
    void write(const std::string& name, const Params& some) const {
        std::filesystem::create_directories(file(name).parent_path());
        writeSafetensors(file(name), some);
    }
    /// As patrolli/AnimateAnyone and like ones lie.
    void writeReleased() const {
        write("denoising_unet.safetensors", net("denoiser."));
        write("reference_unet.safetensors", net("reference."));
        write("pose_guider.safetensors", net("guider."));
        write("motion_module.safetensors", motionFile());
    }

    /// What the run's model begins with; not those that are drawn.
    std::map<std::string, at::Tensor> read() { return read(model); }
    std::map<std::string, at::Tensor> read(const Model& wanted) {
        InitialWeights init(folder.path());
        init.fit(wanted, {});
        said = init.text();
        std::map<std::string, at::Tensor> found;
        const auto shapes = wanted.weightsOnMeta();
        for (const auto& name : shapes.names())
            if (auto value = init.read(name); value.defined()) found.emplace(name, std::move(value));
        return found;
    }
    std::string refusal() { return refusal(smallCharacterShape()); }
    std::string refusal(const ModelShape& shape) {
        try {
            read(*makeModel(shape, at::kCPU));
        } catch (const InputError& error) {
            return error.full();
        }
        return "accepted";
    }

    TemporaryFolder folder;
    const Json settings = {{"num_attention_heads", 2}, {"norm_num_groups", 4}};
    const Animate model{smallCharacterShape(), at::kCPU};
    Params weights, outputs;
    std::string said;
};

TEST_F(CharacterPartsTest, ReleasedFilesGiveEveryWeight) {
    writeReleased();
    const auto found = read();
    ASSERT_EQ(found.size(), weights.names().size());
    for (const auto& [name, value] : found) EXPECT_TRUE(at::equal(value, weights[name])) << name;
    EXPECT_THAT(said,
                AllOf(HasSubstr("the denoiser as denoising_unet.safetensors"),
                      HasSubstr("the ReferenceNet as reference_unet.safetensors"),
                      HasSubstr("the motion modules as motion_module.safetensors"),
                      HasSubstr("the pose guider as pose_guider.safetensors"), Not(HasSubstr("Drawn"))));
}

TEST_F(CharacterPartsTest, BothNetsBeginAsTheUnetOfAPipelineAndTheRestIsDrawn) {
    write("unet/diffusion_pytorch_model.safetensors", net("denoiser."));
    writeFileAtomically(file("unet/config.json"), settings.dump());
    write("safety_checker/model.safetensors", outputs);  // parts that are not of the model lie beside
    const auto found = read();
    for (const auto& name : weights.names()) {
        const auto value = found.find(name);
        if (name.starts_with("guider.") || moves(name)) {
            EXPECT_EQ(value, found.end()) << name;
            continue;
        }
        ASSERT_NE(value, found.end()) << name;
        const auto theirs = "denoiser." + name.substr(name.find('.') + 1);
        EXPECT_TRUE(at::equal(value->second, weights[theirs])) << name;
    }
    EXPECT_THAT(said, AllOf(HasSubstr("the denoiser and the ReferenceNet both as unet"),
                            HasSubstr("Drawn are: motion modules and pose guider.")));
}

TEST_F(CharacterPartsTest, AUnetIsTheReferenceNetWhereItIsCalledSo) {
    writeReleased();
    auto whole = net("reference.");
    for (const auto& name : outputs.names()) whole.add(name, outputs[name]);
    write("reference_unet.safetensors", whole);
    EXPECT_TRUE(at::equal(read().at("reference.conv_in.weight"), weights["reference.conv_in.weight"]));
    std::filesystem::rename(file("reference_unet.safetensors"), file("other.safetensors"));
    EXPECT_THAT(refusal(), AllOf(HasSubstr("several parts of one kind (U-Net): "), HasSubstr("other")));
}

TEST_F(CharacterPartsTest, AControlNetGivesItsGuiderButTheLastConvolution) {
    write("unet.safetensors", net("denoiser."));
    write("openpose/model.safetensors", controlNet());
    const auto found = read();
    EXPECT_TRUE(at::equal(found.at("guider.blocks.3.weight"), weights["guider.blocks.3.weight"]));
    EXPECT_FALSE(found.contains("guider.conv_out.weight")) << "which begins at zero";
    EXPECT_THAT(said, HasSubstr("the pose guider as that of the ControlNet openpose"));
}

/// The files that Champ published: each encoder holds further transformers that its code never uses.
class ChampPartsTest : public CharacterPartsTest {
protected:
    static ModelShape shape() {
        auto shape = smallCharacterShape();
        shape.model.guidance_types = {"depth", "dwpose"};
        return shape;
    }
    ChampPartsTest() {
        const auto shapes = champ.weightsOnMeta();
        for (const auto& name : shapes.names())
            if (!weights.contains(name))
                weights.add(name, normalTensor(std::hash<std::string>{}(name), shapes[name].sizes()));
    }
    Params encoder(const std::string& type) const {
        Params all;
        const auto own = net("guidance_encoder_" + type + ".");
        for (const auto& name : own.names()) {
            const std::string ours = "attention.";
            const bool attends = name.starts_with(ours);
            all.add(attends ? "attentions.5." + name.substr(ours.size()) : name, own[name]);
            if (attends) all.add("guidance_attention." + name.substr(ours.size()), at::ones_like(own[name]));
        }
        NamedShapes unused;
        unet::addPictureTransformer(unused, "attentions.0", 8, 0);
        for (const auto& [name, sizes] : unused) all.add(name, at::ones(sizes));
        return all;
    }
    void writeChamp() const {
        writeReleased();
        std::filesystem::remove(file("pose_guider.safetensors"));
        for (const std::string type : {"depth", "dwpose"})
            write("guidance_encoder_" + type + ".safetensors", encoder(type));
    }

    const Animate champ{shape(), at::kCPU};
};

TEST_F(ChampPartsTest, ReleasedFilesGiveEveryWeight) {
    writeChamp();
    const auto found = read(champ);
    ASSERT_EQ(found.size(), champ.weightsOnMeta().names().size());
    for (const auto& [name, value] : found) EXPECT_TRUE(at::equal(value, weights[name])) << name;
    EXPECT_THAT(said, AllOf(HasSubstr("the guidance encoder of depth as guidance_encoder_depth.safetensors"),
                            Not(HasSubstr("Drawn"))));
    std::filesystem::remove(file("guidance_encoder_depth.safetensors"));
    EXPECT_EQ(read(champ).count("guidance_encoder_depth.conv_in.weight"), 0U);
    EXPECT_THAT(said, HasSubstr("Drawn are: guidance encoder of depth."));
}

TEST_F(ChampPartsTest, OtherTypesAndFilesWithoutOneAreRefused) {
    writeChamp();
    EXPECT_THAT(refusal(), HasSubstr("model.guidance_types is [depth, dwpose]"));
    write("guidance_encoder_normal.safetensors", encoder("depth"));
    EXPECT_THAT(refusal(shape()), HasSubstr("model.guidance_types is [depth, normal, dwpose]"));
    std::filesystem::rename(file("guidance_encoder_normal.safetensors"), file("encoder.safetensors"));
    EXPECT_THAT(refusal(shape()),
                AllOf(HasSubstr("encoder.safetensors, whose name does not say what it reads"),
                      HasSubstr("guidance_encoder_TYPE")));
    std::filesystem::remove(file("encoder.safetensors"));
    auto some = encoder("depth");
    some.add("attentions.9.norm.weight", at::ones({3}));
    write("guidance_encoder_depth.safetensors", some);
    EXPECT_THAT(refusal(shape()), HasSubstr("attentions.9.norm.weight"));
}

TEST_F(ChampPartsTest, InspectNamesThem) {
    writeChamp();
    const auto found = inspectWeights(file("guidance_encoder_depth.safetensors"), nothing);
    EXPECT_EQ(found.at("parts").at(0).at("family"), "guidance_encoder");
    EXPECT_EQ(found.at("parts").at(0).at("notes").at("Dailies"), "model.init, with model.family animate");
    EXPECT_TRUE(found.at("parts").at(0).at("missing").empty());
}

TEST_F(CharacterPartsTest, StageTwoBeginsWithStageOneOfOursAndMotionModulesBesideIt) {
    const Animate stageOne(smallCharacterShape("none"), at::kCPU);
    Params ours;
    const auto shapes = stageOne.weightsOnMeta();
    for (const auto& name : shapes.names()) ours.add(name, weights[name]);
    writeSafetensors(file("stage-one.safetensors"), ours, {{kOwnModelKey, stageOne.shape().toJson().dump()}});
    write("mm_sd_v15_v2.safetensors", motionFile());
    const auto found = read();
    ASSERT_EQ(found.size(), weights.names().size());
    for (const auto& [name, value] : found) EXPECT_TRUE(at::equal(value, weights[name])) << name;
    EXPECT_THAT(said, HasSubstr("the motion modules as mm_sd_v15_v2.safetensors"));
    write("unet.safetensors", net("denoiser."));
    EXPECT_THAT(refusal(), AllOf(HasSubstr("holds several models"), HasSubstr("unet.safetensors")));
}

TEST_F(CharacterPartsTest, WithoutMotionTheirModulesAreNotReadAndTheLogSaysSo) {
    writeReleased();
    const auto found = read(Animate(smallCharacterShape("none"), at::kCPU));
    EXPECT_TRUE(at::equal(found.at("denoiser.conv_in.weight"), weights["denoiser.conv_in.weight"]));
    EXPECT_THAT(said, HasSubstr("Motion modules are not read, because model.motion is none."));
}

TEST_F(CharacterPartsTest, OfThePublishedSizesFitWithoutAnySettingsBesideThem) {
    auto shape = smallCharacterShape();
    shape.model.width = 320;
    shape.model.depth = 2;
    shape.model.heads = 8;
    shape.imageWidth = 768;
    unet::UnetSizes moving;
    moving.motion = {.places = 32, .middle = true};
    const auto published = folder.path() / "published";
    std::filesystem::create_directories(published);
    writeHollow(published / "v1-5-pruned.safetensors",
                withPrefix(unetOriginal(unet::unetTensors({})), "model.diffusion_model."));
    writeHollow(published / "reference_unet.safetensors", unet::unetTensors({.outputs = 0}));
    writeHollow(published / "mm_sd_v15_v2.safetensors", motionOriginal(unet::motionTensors(moving)));
    NamedShapes guider;
    const Animate large(shape, at::kCPU);
    const auto shapes = large.weightsOnMeta();
    const std::string net = "guider.";
    for (const auto& name : shapes.names())
        if (name.starts_with(net)) guider.push_back({name.substr(net.size()), shapes[name].sizes().vec()});
    writeHollow(published / "pose_guider.safetensors", guider);
    InitialWeights init(published);
    init.fit(large, {});
    EXPECT_THAT(init.text(),
                AllOf(HasSubstr("the denoiser as v1-5-pruned.safetensors"), Not(HasSubstr("Drawn"))));
    const auto inspected = inspectWeights(published / "pose_guider.safetensors", nothing);
    EXPECT_EQ(inspected.at("parts").at(0).at("model"), "pose guider of Animate Anyone");
}

TEST_F(CharacterPartsTest, OtherSizesAreRefusedWithTheKeysThatTheRunNeeds) {
    writeReleased();
    auto other = smallCharacterShape();
    other.model.width = 32;
    other.model.heads = 4;
    EXPECT_THAT(refusal(other), AllOf(HasSubstr("of which model.width is 16, model.heads is 2"),
                                      HasSubstr("Give the run these settings.")));
    other = smallCharacterShape("v1");
    EXPECT_THAT(refusal(other), HasSubstr("model.motion is v2"));
    other = smallCharacterShape();
    other.imageWidth = 0;
    EXPECT_THAT(refusal(other), HasSubstr("model.image_encoder is one whose embeddings have the width 6"));
    other.imageWidth = 8;
    EXPECT_THAT(refusal(other), HasSubstr("the width of model.image_encoder's embeddings is 6"));
    other = smallCharacterShape();
    other.model.family = "dit";
    EXPECT_THAT(refusal(other), HasSubstr("Set model.family: animate."));
}

TEST_F(CharacterPartsTest, PartsThatAreNotWholeAreRefusedWithNames) {
    writeReleased();
    Params some;
    const auto all = net("denoiser.");
    for (const auto& name : all.names())
        if (name != "mid_block.resnets.1.conv2.bias") some.add(name, all[name]);
    write("denoising_unet.safetensors", some);
    EXPECT_THAT(refusal(),
                AllOf(HasSubstr("a U-Net that is not whole"), HasSubstr("mid_block.resnets.1.conv2.bias")));
    some = net("denoiser.");
    some.add("mid_block.resnets.9.conv2.bias", at::ones({3}));
    write("denoising_unet.safetensors", some);
    EXPECT_THAT(refusal(), HasSubstr("1 is left over (mid_block.resnets.9.conv2.bias)"));
    std::filesystem::remove(file("denoising_unet.safetensors"));
    EXPECT_THAT(refusal(), HasSubstr("holds no U-Net of Stable Diffusion 1"));
    writeReleased();
    some = net("guider.");
    some["conv_in.bias"].fill_(std::numeric_limits<float>::quiet_NaN());
    write("pose_guider.safetensors", some);
    EXPECT_THAT(refusal(), AllOf(HasSubstr("pose_guider.safetensors is damaged: conv_in.bias")));
}

TEST_F(CharacterPartsTest, InspectSaysWhatEachIsAndThatARunCanBeginWithIt) {
    writeReleased();
    write("openpose/model.safetensors", controlNet());
    const auto found = inspectWeights(folder.path(), nothing);
    std::set<std::string> families;
    for (const auto& part : found.at("parts")) {
        families.insert(part.at("family").get<std::string>());
        EXPECT_EQ(part.at("notes").at("Dailies"), "model.init, with model.family animate");
    }
    EXPECT_EQ(families, (std::set<std::string>{"sd15_unet", "pose_guider", "motion_modules", "controlnet"}));
}

}  // namespace
}  // namespace dailies::trainer::pretrained
