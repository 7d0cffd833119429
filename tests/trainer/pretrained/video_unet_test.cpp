#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "tests/trainer/pretrained/published.h"
#include "trainer/models/mimic_motion/mimic_motion.h"
#include "trainer/pretrained/initial_weights.h"
#include "trainer/pretrained/inspection.h"
#include "trainer/pretrained/own_tensors.h"
#include "trainer/serialization/safetensors.h"
#include "trainer/tensors/random_tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>

namespace dailies::trainer::pretrained {
namespace {

using testing::AllOf;
using testing::HasSubstr;

ModelShape smallDancerShape() {
    ModelShape shape;
    shape.model.family = "mimic-motion";
    shape.model.width = 16;
    shape.model.depth = 1;
    shape.model.heads = 2;
    shape.model.patch_frames = 1;
    shape.model.patch_size = 1;
    shape.model.time_scale = 1;
    shape.channels = 4;
    shape.latentPixels = 8;
    shape.imageWidth = 6;
    return shape;
}

config::TrainConfig::Diffusion asPublished() {
    config::TrainConfig::Diffusion diffusion;
    diffusion.objective = "edm";
    diffusion.prediction = "velocity";
    return diffusion;
}

/// A small model, whose weights are written as MimicMotion and Stable Video Diffusion are published.
class VideoUnetFilesTest : public testing::Test {
protected:
    VideoUnetFilesTest() {
        const auto shapes = model.weightsOnMeta();
        for (const auto& name : shapes.names())
            weights.add(name, normalTensor(std::hash<std::string>{}(name), shapes[name].sizes()));
    }

    std::filesystem::path file(const std::string& name) const {
        const auto path = folder.path() / name;
        std::filesystem::create_directories(path.parent_path());
        return path;
    }
    /// As stable-video-diffusion-img2vid-xt-1-1 lies.
    std::filesystem::path writeVideoDiffusion() const {
        const std::string part = "unet.";
        Params unet;
        for (const auto& name : weights.names())
            if (name.starts_with(part)) unet.add(name.substr(part.size()), weights[name].to(at::kHalf));
        const auto path = file("unet/diffusion_pytorch_model.fp16.safetensors");
        writeSafetensors(path, unet);
        writeFileAtomically(
            path.parent_path() / "config.json",
            Json{{"num_attention_heads", {2, 4, 8, 8}}, {"_class_name", "UNetSpatioTemporal"}}.dump());
        return folder.path();
    }

    std::map<std::string, at::Tensor> read(const std::filesystem::path& path, const ModelShape& shape,
                                           const config::TrainConfig::Diffusion& diffusion = asPublished()) {
        const auto wanted = makeModel(shape, at::kCPU);
        InitialWeights init(path);
        init.fit(*wanted, diffusion);
        std::map<std::string, at::Tensor> found;
        const auto shapes = wanted->weightsOnMeta();
        for (const auto& name : shapes.names())
            if (auto value = init.read(name); value.defined()) found.emplace(name, std::move(value));
        return found;
    }
    std::string refusal(const std::filesystem::path& path, const ModelShape& shape = smallDancerShape(),
                        const config::TrainConfig::Diffusion& diffusion = asPublished()) {
        try {
            read(path, shape, diffusion);
        } catch (const InputError& error) {
            return error.full();
        }
        return "accepted";
    }

    TemporaryFolder folder;
    const MimicMotion model{smallDancerShape(), at::kCPU};
    Params weights;
};

TEST_F(VideoUnetFilesTest, MimicMotionsFileGivesEveryWeight) {
    writeSafetensors(file("MimicMotion_1-1.safetensors"), weights);
    // names do not tell the heads
    writeFileAtomically(file("config.json"), Json{{"num_attention_heads", {2, 4, 8, 8}}}.dump());
    const auto found = read(folder.path(), smallDancerShape());
    ASSERT_EQ(found.size(), weights.names().size());
    for (const auto& [name, value] : found) EXPECT_TRUE(at::equal(value, weights[name])) << name;
    const auto part = inspectWeights(folder.path(), ownTensors).at("parts").at(0);
    EXPECT_EQ(part.at("family"), "mimic-motion");
    EXPECT_EQ(part.at("missing"), Json::array());
    EXPECT_EQ(part.at("unknown"), Json::array());
}

TEST_F(VideoUnetFilesTest, StableVideoDiffusionGivesTheUnetAndPoseNetIsDrawn) {
    const auto found = read(writeVideoDiffusion(), smallDancerShape());
    for (const auto& name : weights.names()) {
        ASSERT_EQ(found.contains(name), name.starts_with("unet.")) << name;
        if (!found.contains(name)) continue;
        EXPECT_TRUE(at::equal(found.at(name), weights[name].to(at::kHalf).to(at::kFloat))) << name;
    }
    EXPECT_EQ(inspectWeights(folder.path(), ownTensors).at("parts").at(0).at("names"), "diffusers");
}

TEST_F(VideoUnetFilesTest, StableVideoDiffusionIsAModelByItselfAndMimicMotionIsNot) {
    auto shape = smallDancerShape();
    shape.model.family = "svd";
    shape.model.conditioning = "image";
    const auto found = read(writeVideoDiffusion(), shape);
    EXPECT_EQ(found.size(), makeModel(shape, at::kCPU)->weightsOnMeta().names().size());
    std::filesystem::remove_all(folder.path() / "unet");
    writeSafetensors(file("MimicMotion_1-1.safetensors"), weights);
    writeFileAtomically(file("config.json"), Json{{"num_attention_heads", {2, 4, 8, 8}}}.dump());
    EXPECT_THAT(refusal(folder.path(), shape), HasSubstr("model.family is mimic-motion"));
}

TEST_F(VideoUnetFilesTest, SettingsAndPartsThatDoNotFitAreNamed) {
    const auto path = writeVideoDiffusion();
    auto shape = smallDancerShape();
    shape.model.time_scale = 1000;
    shape.model.heads = 4;
    shape.imageWidth = 8;
    auto diffusion = asPublished();
    diffusion.prediction = "clip";
    EXPECT_THAT(refusal(path, shape, diffusion),
                AllOf(HasSubstr("model.heads is 2"), HasSubstr("model.time_scale is 1"),
                      HasSubstr("image_encoder sees is 6"), HasSubstr("diffusion.prediction is velocity")));
    Params broken;
    for (const auto& name : weights.names())
        if (name != "pose_net.scale" && !name.ends_with("mid_block.resnets.1.time_mixer.mix_factor"))
            broken.add(name, weights[name]);
    std::filesystem::remove_all(folder.path() / "unet");
    writeSafetensors(file("MimicMotion_1-1.safetensors"), broken);
    writeFileAtomically(file("config.json"), Json{{"num_attention_heads", {2, 4, 8, 8}}}.dump());
    EXPECT_THAT(refusal(folder.path()),
                AllOf(HasSubstr("pose_net.scale"), HasSubstr("mid_block.resnets.1.time_mixer.mix_factor")))
        << "a PoseNet is there, and not whole";
}

TEST_F(VideoUnetFilesTest, AreRecognisedByThePublishedSizes) {
    writeHollow(file("svd/unet.safetensors"), unet::spatioTemporalTensors({}));
    const auto inspected = inspectWeights(folder.path() / "svd", ownTensors).at("parts").at(0);
    EXPECT_EQ(inspected.at("model"), "Stable Video Diffusion");
    EXPECT_EQ(inspected.at("parameters"), 1'524'623'082);
    auto original = videoUnetOriginal(unet::spatioTemporalTensors({}));
    for (auto& tensor : original) tensor.name = "model.diffusion_model." + tensor.name;
    // beside the encoder that came with it
    original.push_back({"conditioner.embedders.0.open_clip.model.logit_scale", {1}});
    writeHollow(file("stability/svd_xt_1_1.safetensors"), original);
    const auto parts = inspectWeights(folder.path() / "stability", ownTensors).at("parts");
    const auto whole = std::ranges::find_if(
        parts, [](const Json& part) { return part.at("model") == "Stable Video Diffusion"; });
    ASSERT_NE(whole, parts.end()) << parts.dump(2);
    EXPECT_EQ(whole->at("names"), "sgm");
    EXPECT_EQ(whole->at("missing"), Json::array());
    EXPECT_EQ(whole->at("unknown"), Json::array());
    NamedShapes all;
    for (const auto& [name, shape] : unet::spatioTemporalTensors({})) all.push_back({"unet." + name, shape});
    for (const auto& [name, shape] : unet::poseNetTensors({})) all.push_back({"pose_net." + name, shape});
    writeHollow(file("mm/MimicMotion_1-1.safetensors"), all);
    const auto part = inspectWeights(folder.path() / "mm", ownTensors).at("parts").at(0);
    EXPECT_EQ(part.at("model"), "MimicMotion");
    EXPECT_EQ(part.at("unknown"), Json::array());
    EXPECT_EQ(part.at("read_by"), Json::array({"Dailies"}));
}

}  // namespace
}  // namespace dailies::trainer::pretrained
