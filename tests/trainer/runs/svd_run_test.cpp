#include "tests/trainer/pretrained/tiny_clip.h"
#include "tests/trainer/runs/image_to_video.h"
#include "tests/trainer/runs/rank_processes.h"
#include "tests/trainer/tokenizers/tiny_sd_vae.h"
#include "trainer/checkpoint/checkpoints.h"
#include "trainer/serialization/safetensors.h"

#include <gmock/gmock.h>

// Image to video as Stable Video Diffusion does it, on latents of its VAE.

namespace dailies::trainer {
namespace {

using ::testing::HasSubstr;

class SvdRun : public ImageToVideoTest {
protected:
    SvdRun() : ImageToVideoTest(48, 32, "a harbour") {
        auto sizes = tinySdVae();
        sizes.decodesOverTime = true;
        writeSdVae(models.path() / "vae.safetensors", sizes);
        writeClipVision(models.path() / "image_encoder", tinyClipVision());
    }

    Json imageToVideo(const Json& changes = Json::object()) const {
        Json config = {{"model.family", "svd"},
                       {"model.conditioning", "image"},
                       {"model.image_encoder", (models.path() / "image_encoder").string()},
                       {"model.width", 16},
                       {"model.heads", 2},
                       {"model.depth", 1},
                       {"model.patch_frames", 1},
                       {"model.patch_size", 1},
                       {"tokenizer.kind", "sd_vae"},
                       {"tokenizer.weights", (models.path() / "vae.safetensors").string()},
                       {"tokenizer.frames_factor", 1},
                       {"tokenizer.space_factor", 8},
                       {"tokenizer.channels", 4},
                       {"data.frames", 3},
                       {"data.height", 32},
                       {"data.width", 48},
                       {"data.batch_size", 2},
                       {"diffusion.objective", "edm"},
                       {"diffusion.prediction", "velocity"},
                       {"diffusion.caption_drop", 0.3},
                       {"optimizer.schedule", "constant"}};
        config.update(changes);
        return config;
    }
};

TEST_F(SvdRun, TrainsSamplesAndResumesAsIfItHadNotStopped) {
    const auto all = imageToVideo({{"steps", 12},
                                   {"checkpoint.every", 6},
                                   {"sampling.every", 6},
                                   {"sampling.guidance", 2},
                                   {"validation.every", 6},
                                   {"validation.clips", 2}});
    const TrainingRun whole(all);
    expectResumesAsIfItHadNotStopped(whole, all);
    EXPECT_FALSE(whole.metric("val/loss").empty());
    const auto clips = whole.all<events::Clip>();
    ASSERT_FALSE(clips.empty()) << whole.output();
    EXPECT_TRUE(clips.back().inputs.contains("image")) << "shown beside the clip";
    const auto checkpoint = whole.path() / whole.all<events::Checkpoint>().back().path;
    EXPECT_EQ(inspectCheckpoint(checkpoint).at("model").at("image_width"), 8) << "CLIP's projection";

    const auto exported = file("exported.safetensors");
    ASSERT_EQ(TrainerProcess({"export", checkpoint.string(), exported}, file("output.txt")).wait(), 0)
        << output();
    EXPECT_TRUE(readSafetensors(exported).contains("unet.conv_in.weight"));
    const TrainingRun next(imageToVideo({{"model.init", exported}}));
    EXPECT_EQ(next.train(), 0) << next.output();
}

TEST_F(SvdRun, MakesOtherClipsOfOtherImagesAndGuidanceComparesWithNone) {
    const TrainingRun run(imageToVideo());
    ASSERT_EQ(run.train(), 0) << run.output();
    const auto light = picture("light.mp4", 230), dark = picture("dark.mp4", 20);
    for (const auto* into : {"first", "again"})
        ASSERT_EQ(sample(into, run, {"--given", light, "--guidance", "1"}), 0) << output();
    ASSERT_EQ(sample("other", run, {"--given", dark, "--guidance", "1"}), 0) << output();
    ASSERT_EQ(sample("guided", run, {"--given", light, "--guidance", "3"}), 0) << output();
    EXPECT_EQ(furthestApart(clipOf("first"), clipOf("again")), 0);
    EXPECT_GT(furthestApart(clipOf("first"), clipOf("other")), 0);
    EXPECT_GT(furthestApart(clipOf("first"), clipOf("guided")), 0);
    EXPECT_EQ(sample("none", run, {}), 2);
    EXPECT_THAT(output(), HasSubstr("given_files: found none for \"a harbour\""));
}

TEST_F(SvdRun, RanksTrainWhatOneProcessDoes) {
    const TrainingRun alone(imageToVideo());
    ASSERT_EQ(alone.train(), 0) << alone.output();
    const TrainingRun run(imageToVideo({{"layout.shard", "zero3"}}));
    ASSERT_EQ(trainOnRanks(run, 2), 0) << run.output();
    for (const auto& [step, loss] : alone.metric("loss"))
        EXPECT_NEAR(run.metric("loss").at(step), loss, 2e-3 * loss) << "step " << step;
}

TEST_F(SvdRun, IsRefusedWhatItCannotDoWithTheRemedy) {
    const std::pair<Json, const char*> refused[] = {
        {{{"model.conditioning", "none"}},
         "model.conditioning: found none with model.family svd, expected image"},
        {{{"diffusion.objective", "v_prediction"}},
         "diffusion.objective: found v_prediction with model.family svd, expected edm"},
        {{{"text.encoder", "bytes"}}, "text.encoder: found bytes with model.family svd, expected words"},
        {{{"sampling.reference_files", {"/nowhere.png"}}},
         "sampling.reference_files: found 1 with model.family svd, expected none"}};
    for (const auto& [changes, message] : refused) {
        const TrainingRun run(imageToVideo(changes));
        EXPECT_EQ(run.train(), 2) << message;
        EXPECT_THAT(run.output(), HasSubstr(message));
    }
}

}  // namespace
}  // namespace dailies::trainer
