#include "core/video/clip_file.h"
#include "tests/trainer/runs/training_run.h"
#include "tests/trainer/tokenizers/tiny_sd_vae.h"
#include "trainer/checkpoint/checkpoints.h"

#include <gmock/gmock.h>

// Runs on latents of the VAE of Stable Diffusion as it is published.

namespace dailies::trainer {
namespace {

using ::testing::HasSubstr;

TEST(SdVaeRun, AModelLearnsItsLatentsByThePublishedScaleAndSamplesClips) {
    const TemporaryFolder vae;
    writeSdVae(vae.path() / "diffusion_pytorch_model.safetensors", tinySdVae());
    TrainingRun run({{"tokenizer.kind", "sd_vae"},
                     {"tokenizer.weights", vae.path().string()},
                     {"tokenizer.frames_factor", 1},
                     {"tokenizer.space_factor", 8},
                     {"tokenizer.channels", 4},
                     {"data.frames", 3},
                     {"data.height", 32},
                     {"data.width", 32},
                     {"model.patch_frames", 1},
                     {"model.patch_size", 2},
                     {"sampling.every", 12}});
    ASSERT_EQ(run.train(), 0) << run.output();
    EXPECT_EQ(run.metric("loss").size(), 12U);
    EXPECT_EQ(run.all<events::Start>()[0].facts.at("tokens_per_clip"), 3 * 2 * 2) << "a latent frame a frame";
    const auto clips = run.all<events::Clip>();
    ASSERT_FALSE(clips.empty());
    const auto info = video::ClipReader(run.path() / clips.back().path).info();
    EXPECT_EQ(info.frames, 3);
    EXPECT_EQ(clips.back().width, 32);
    const auto checkpoint = run.path() / run.all<events::Checkpoint>().back().path;
    EXPECT_EQ(inspectCheckpoint(checkpoint).at("data").at("pixel_deviation"),
              Json(std::vector<double>(4, 1 / 0.18215)));

    const auto output = run.path() / "inspect.txt";
    EXPECT_EQ(TrainerProcess({"inspect", vae.path().string()}, output).wait(), 0) << readFile(output);
    EXPECT_THAT(readFile(output), HasSubstr("Dailies (tokenizer.weights, with tokenizer.kind sd_vae)"));

    run.configure({{"tokenizer.frames_factor", 4}, {"data.frames", 5}});
    EXPECT_EQ(run.train(), 2);
    EXPECT_THAT(run.output(), HasSubstr("tokenizer.frames_factor: found 4"));
    run.configure({{"tokenizer.weights", ""}});
    EXPECT_EQ(run.train(), 2);
    EXPECT_THAT(run.output(), HasSubstr("expected the file or folder of a published Stable Diffusion VAE"));
}

}  // namespace
}  // namespace dailies::trainer
