#include "core/video/clip_file.h"
#include "tests/trainer/runs/training_run.h"
#include "tests/trainer/tokenizers/tiny_wan_vae.h"
#include "trainer/checkpoint/checkpoints.h"

#include <gmock/gmock.h>

// Runs on latents of a Wan VAE as it is published.

namespace dailies::trainer {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::size_t kChannels = 4;

/// A tiny VAE of random weights, as diffusers saves one.
class WanVaeRun : public testing::TestWithParam<bool> {
protected:
    const TemporaryFolder m_vae;

    void SetUp() override {
        writeWanVae(m_vae.path() / "diffusion_pytorch_model.safetensors", tinyWanVae(GetParam(), kChannels));
        const Json beside = {{"latents_mean", std::vector<double>(kChannels, 0.125)},
                             {"latents_std", {1, 1.5, 2, 2.5}}};
        writeFileAtomically(m_vae.path() / "config.json", beside.dump());
    }

    /// 5 frames of 32 × 32 pixels.
    Json config() const {
        return {{"tokenizer.kind", "wan_vae"},
                {"tokenizer.weights", m_vae.path().string()},
                {"tokenizer.space_factor", GetParam() ? 16 : 8},
                {"tokenizer.channels", kChannels},
                {"data.frames", 5},
                {"data.height", 32},
                {"data.width", 32},
                {"model.family", "wan"},
                {"model.patch_frames", 1},
                {"model.patch_size", 1}};
    }
};

INSTANTIATE_TEST_SUITE_P(Published, WanVaeRun, testing::Bool(),
                         [](const auto& each) { return each.param ? "Wan22" : "Wan21"; });

TEST_P(WanVaeRun, AWanLearnsItsLatentsByThePublishedScaleAndSamplesClips) {
    TrainingRun run(config());
    run.configure({{"sampling.every", 6}, {"validation.every", 6}, {"validation.clips", 2}});
    ASSERT_EQ(run.train(), 0) << run.output();
    EXPECT_EQ(run.metric("loss").size(), 12U);
    EXPECT_EQ(run.metric("val/loss").size(), 2U);
    const std::int64_t side = GetParam() ? 2 : 4;
    EXPECT_EQ(run.all<events::Start>()[0].facts.at("tokens_per_clip"), 2 * side * side);
    const auto clips = run.all<events::Clip>();
    ASSERT_FALSE(clips.empty());
    const auto info = video::ClipReader(run.path() / clips.back().path).info();
    EXPECT_EQ(info.frames, 5);
    EXPECT_EQ(clips.back().width, 32);

    const auto checkpoint = run.path() / run.all<events::Checkpoint>().back().path;
    const auto data = inspectCheckpoint(checkpoint).at("data");
    EXPECT_EQ(data.at("pixel_mean"), Json(std::vector<double>(kChannels, 0.125)));
    EXPECT_EQ(data.at("pixel_deviation"), (Json{1.0, 1.5, 2.0, 2.5}));

    const TemporaryFolder made;
    const auto output = run.path() / "sample.txt";
    const std::vector<std::string> words = {"sample",         "--run-dir",         made.path().string(),
                                            "--checkpoint",   checkpoint.string(), "--prompt",
                                            "red square left"};
    ASSERT_EQ(TrainerProcess(words, output).wait(), 0) << readFile(output);
    video::ClipReader sampled(made.path() / "clips/step-000000012/red-square-left-1.mp4");
    EXPECT_EQ(sampled.info().frames, 5);
    EXPECT_EQ(TrainerProcess({"inspect", m_vae.path().string()}, output).wait(), 0) << readFile(output);
    EXPECT_THAT(readFile(output), HasSubstr("Dailies (tokenizer.weights, with tokenizer.kind wan_vae)"));

    // other weights are another tokenizer
    auto other = tinyWanVae(GetParam(), kChannels);
    other.decoder.back() = 6;
    writeWanVae(m_vae.path() / "diffusion_pytorch_model.safetensors", other);
    run.configure({{"steps", 20}});
    EXPECT_EQ(run.train(), 2);
    EXPECT_THAT(run.output(), HasSubstr("learned latents of another tokenizer"));
}

TEST_P(WanVaeRun, WeightsThatAreMissingOrOfOtherFactorsEndTheRunBeforeItsFirstStep) {
    TrainingRun run(config());
    run.configure({{"tokenizer.weights", ""}});
    EXPECT_EQ(run.train(), 2);
    EXPECT_THAT(run.output(), HasSubstr("tokenizer.weights: found nothing"));
    run.configure({{"tokenizer.weights", m_vae.path().string()}, {"tokenizer.channels", 16}});
    EXPECT_EQ(run.train(), 2);
    EXPECT_THAT(run.output(), AllOf(HasSubstr("tokenizer.channels: found 16"), HasSubstr("has 4")));
}

}  // namespace
}  // namespace dailies::trainer
