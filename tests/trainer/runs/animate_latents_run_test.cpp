#include "core/base/files.h"
#include "core/video/clip_file.h"
#include "tests/trainer/pretrained/tiny_clip.h"
#include "tests/trainer/runs/animated_figures.h"
#include "tests/trainer/tokenizers/tiny_sd_vae.h"
#include "trainer/checkpoint/checkpoints.h"
#include "trainer/serialization/safetensors.h"

#include <gmock/gmock.h>

#include <algorithm>

// Models of characters on the latents of Stable Diffusion's VAE, with what CLIP sees of the reference
// pictures.

namespace dailies::trainer {
namespace {

using ::testing::HasSubstr;

/// The frozen encoders beside runs.
class AnimateLatentsRun : public testing::Test {
protected:
    AnimateLatentsRun() {
        writeSdVae(models.path() / "vae.safetensors", tinySdVae());
        writeClipVision(clip(), tinyClipVision());
    }

    std::filesystem::path clip() const { return models.path() / "image_encoder"; }
    Json latentFigures(const Json& changes = Json::object()) const {
        auto config = animatedFigures();
        config.update({{"model.patch_size", 1},
                       {"model.image_encoder", clip().string()},
                       {"tokenizer.kind", "sd_vae"},
                       {"tokenizer.weights", (models.path() / "vae.safetensors").string()},
                       {"tokenizer.frames_factor", 1},
                       {"tokenizer.space_factor", 8},
                       {"tokenizer.channels", 4},
                       {"optimizer.schedule", "constant"},
                       {"diffusion.caption_drop", 0.3}});
        config.update(changes);
        return config;
    }
    std::string file(const char* name) const { return (models.path() / name).string(); }
    void write(const char* name, std::size_t frames, std::uint8_t value) const {
        const video::Frame frame{32, 32, std::vector<std::uint8_t>(32 * 32 * 3, value)};
        video::writeClip(file(name), std::vector<video::Frame>(frames, frame), {.fps = 8});
    }
    int sample(const char* into, const TrainingRun& run, const char* reference) const {
        std::filesystem::create_directories(file(into));
        return TrainerProcess({"sample", "--run-dir", file(into), "--checkpoint",
                               lastCheckpoint(run).string(), "--steps", "2", "--guidance", "2", "--prompt",
                               "anna", "--reference", file(reference), "--poses", file("poses.mp4")},
                              file("output.txt"))
            .wait();
    }
    std::string output() const { return readFile(file("output.txt")); }

    TemporaryFolder models;
};

TEST_F(AnimateLatentsRun, TrainsSamplesAndResumesAsIfItHadNotStopped) {
    const auto all = latentFigures(
        {{"steps", 12}, {"checkpoint.every", 6}, {"validation.every", 6}, {"validation.clips", 2}});
    const TrainingRun whole(all);
    expectResumesAsIfItHadNotStopped(whole, all);
    EXPECT_FALSE(whole.metric("pose_error").empty()) << "clips are decoded and judged";
    const auto clips = whole.all<events::Clip>();
    ASSERT_FALSE(clips.empty()) << whole.output();
    EXPECT_EQ(clips.back().width, 32);
    EXPECT_EQ(whole.all<events::Start>()[0].facts.at("tokens_per_clip"), 4 * 4 * 4);
    const auto shape = inspectCheckpoint(lastCheckpoint(whole)).at("model");
    EXPECT_EQ(shape.at("latent_pixels"), 8);
    EXPECT_EQ(shape.at("image_width"), 8);

    EXPECT_EQ(TrainerProcess({"export", lastCheckpoint(whole).string(), file("whole.safetensors")},
                             file("output.txt"))
                  .wait(),
              0)
        << output();
    EXPECT_EQ(TrainerProcess({"inspect", file("whole.safetensors")}, file("output.txt")).wait(), 0)
        << output();
}

TEST_F(AnimateLatentsRun, IsSampledWithWhomItIsShown) {
    const TrainingRun run(latentFigures());
    ASSERT_EQ(run.train(), 0) << run.output();
    write("poses.mp4", 4, 0);
    write("anna.mp4", 1, 200);
    write("bob.mp4", 1, 40);
    for (const auto* into : {"first", "again"}) ASSERT_EQ(sample(into, run, "anna.mp4"), 0) << output();
    ASSERT_EQ(sample("other", run, "bob.mp4"), 0) << output();
    const auto clip = [&](const char* into) {
        return models.path() / into / "clips/step-000000012/anna-1.mp4";
    };
    EXPECT_EQ(furthestApart(clip("first"), clip("again")), 0);
    EXPECT_GT(furthestApart(clip("first"), clip("other")), 0);
}

TEST_F(AnimateLatentsRun, RefusesToGoOnWithAnotherImageEncoder) {
    TrainingRun run(latentFigures());
    ASSERT_EQ(run.train(), 0) << run.output();
    writeClipVision(clip(), tinyClipVision(), 2);
    write("poses.mp4", 4, 0);
    write("anna.mp4", 1, 200);
    EXPECT_EQ(sample("refused", run, "anna.mp4"), 2);
    EXPECT_THAT(output(), HasSubstr("learned what another image encoder sees than"));
    const TrainingRun two(latentFigures({{"model.init", lastCheckpoint(run).string()}}));
    EXPECT_EQ(two.train(), 2);
    EXPECT_THAT(two.output(), HasSubstr("model.init: these weights learned what another image encoder sees"));
    run.configure(latentFigures({{"steps", 20}}));
    EXPECT_EQ(run.train(), 2);
    EXPECT_THAT(run.output(), HasSubstr("Give the run the checkpoint's image encoder"));
    run.configure(latentFigures({{"steps", 20}, {"model.image_encoder", ""}}));
    EXPECT_EQ(run.train(), 2);
    EXPECT_THAT(run.output(), HasSubstr("image_width 8 there, 0 in the config"));
}

TEST_F(AnimateLatentsRun, StageTwoBeginsWithTheLossOfStageOne) {
    const TrainingRun one(latentFigures({{"model.motion", "none"}}));
    ASSERT_EQ(one.train(), 0) << one.output();
    const auto loss = [&](const std::filesystem::path& init, const char* motion, const Json& freeze) {
        const TrainingRun run(latentFigures(
            {{"model.init", init.string()}, {"model.motion", motion}, {"optimizer.freeze", freeze}}));
        EXPECT_EQ(run.train(), 0) << run.output();
        return run.metric("loss").at(1);
    };
    const auto checkpoint = lastCheckpoint(one), exported = models.path() / "one.safetensors";
    const auto going = loss(checkpoint, "none", {"guider"});
    EXPECT_NEAR(loss(checkpoint, "v2", {"*", "!motion_modules"}), going, 1e-5);
    const auto losses = [&](const char* recompute) {
        const TrainingRun run(latentFigures({{"model.init", checkpoint.string()},
                                             {"model.motion", "v2"},
                                             {"model.recompute", recompute},
                                             {"optimizer.freeze", {"*", "!motion_modules"}}}));
        EXPECT_EQ(run.train(), 0) << run.output();
        return run.metric("loss");
    };
    const auto again = losses("full");
    for (const auto& [step, expected] : losses("none"))
        EXPECT_NEAR(again.at(step), expected, 1e-4 * expected);

    ASSERT_EQ(TrainerProcess({"export", checkpoint.string(), exported.string()}, file("output.txt")).wait(),
              0)
        << output();
    EXPECT_EQ(loss(exported, "v2", {"*", "!motion_modules"}), going);

    // as Animate Anyone is published
    const auto weights = readSafetensors(exported);
    const auto published = models.path() / "published";
    std::filesystem::create_directories(published);
    for (const auto& [net, name] : {std::pair<std::string, const char*>{"denoiser.", "denoising_unet"},
                                    {"reference.", "reference_unet"},
                                    {"guider.", "pose_guider"}}) {
        Params part;
        for (const auto& weight : weights.names())
            if (weight.starts_with(net)) part.add(weight.substr(net.size()), weights[weight]);
        writeSafetensors(published / (name + std::string(".safetensors")), part);
    }
    writeFileAtomically(published / "config.json", R"({"num_attention_heads": 2, "norm_num_groups": 4})");
    EXPECT_EQ(loss(published, "none", {"guider"}), going);
    const TrainingRun two(latentFigures({{"model.init", published.string()},
                                         {"model.motion", "v2"},
                                         {"optimizer.freeze", {"*", "!motion_modules"}}}));
    ASSERT_EQ(two.train(), 0) << two.output();
    const auto said = two.all<events::Message>();
    EXPECT_TRUE(std::ranges::any_of(said, [](const auto& message) {
        return message.text.find("Drawn are: motion modules.") != std::string::npos;
    }));
    write("poses.mp4", 4, 0);
    write("anna.mp4", 1, 200);
    EXPECT_EQ(sample("two", two, "anna.mp4"), 0) << output();
}

TEST_F(AnimateLatentsRun, MimicMotionDoesSoOnTheLatentsOfStableVideoDiffusion) {
    auto sizes = tinySdVae();
    sizes.decodesOverTime = true;
    writeSdVae(models.path() / "vae.safetensors", sizes);
    const auto all = [&] {
        auto config = latentFigures({{"steps", 12},
                                     {"checkpoint.every", 6},
                                     {"model.family", "mimic-motion"},
                                     {"diffusion.objective", "edm"},
                                     {"diffusion.prediction", "velocity"}});
        for (const auto* key :
             {"model.motion", "diffusion.min_snr_gamma", "diffusion.snr_plus_one", "diffusion.noise_offset"})
            config.erase(key);
        return config;
    }();
    const TrainingRun whole(all);
    expectResumesAsIfItHadNotStopped(whole, all);
    EXPECT_FALSE(whole.metric("flicker").empty()) << "clips are decoded and judged";
    write("anna.mp4", 1, 200);
    write("bob.mp4", 1, 20);
    write("poses.mp4", 6, 90);
    for (const auto* who : {"anna.mp4", "bob.mp4"})
        ASSERT_EQ(sample((std::string("with-") + who).c_str(), whole, who), 0) << output();
    EXPECT_GT(furthestApart(models.path() / "with-anna.mp4/clips/step-000000012/anna-1.mp4",
                            models.path() / "with-bob.mp4/clips/step-000000012/anna-1.mp4"),
              0)
        << "the picture is seen";
}

}  // namespace
}  // namespace dailies::trainer
