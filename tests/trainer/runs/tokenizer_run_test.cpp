#include "core/video/clip_file.h"
#include "tests/trainer/data/shards.h"
#include "tests/trainer/runs/rank_processes.h"
#include "tests/trainer/runs/training_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <csignal>

namespace dailies::trainer {
namespace {

/// Changes that make the tiny run one of 5 frames of 16 × 16 pixels, 2 × 4 × 4 latents.
Json latentConfig() {
    return {{"tokenizer.kind", "vae"}, {"tokenizer.space_factor", 4},
            {"tokenizer.channels", 4}, {"tokenizer.width", 8},
            {"data.frames", 5},        {"model.patch_frames", 1},
            {"model.patch_size", 1}};
}

int runVerb(const std::string& verb, const TrainingRun& run) {
    return TrainerProcess({verb, "--config", (run.path() / "config.json").string()},
                          run.path() / "output.txt")
        .wait();
}

double last(const std::map<std::int64_t, double>& metric) {
    return metric.empty() ? 0 : metric.rbegin()->second;
}

constexpr int kVaeSteps = 240;  // ten seconds of one core

/// A VAE that knows shapes from background, and its checkpoint.
class TokenizerRun : public testing::Test {
protected:
    static void SetUpTestSuite() {
        s_vae = new TrainingRun(latentConfig());
        s_vae->configure({{"steps", kVaeSteps},
                          {"data.batch_size", 8},
                          {"optimizer.lr", 5e-3},
                          {"optimizer.warmup_steps", 20},
                          {"optimizer.ema_decay", 0.9},
                          {"sampling.every", kVaeSteps}});
        s_status = runVerb("train-vae", *s_vae);
    }
    static void TearDownTestSuite() { delete s_vae; }

    void SetUp() override { ASSERT_EQ(s_status, 0) << s_vae->output(); }
    static std::string checkpoint() {
        return (s_vae->path() / s_vae->all<events::Checkpoint>().back().path).string();
    }

    static TrainingRun* s_vae;
    static int s_status;
};

TrainingRun* TokenizerRun::s_vae = nullptr;
int TokenizerRun::s_status = -1;

TEST_F(TokenizerRun, AVaeLearnsTheShapes) {
    const auto psnr = s_vae->metric("psnr");
    ASSERT_EQ(psnr.size(), std::size_t{kVaeSteps});
    EXPECT_GT(last(s_vae->metric("sample_psnr")), 18) << "dB; an empty picture has 14";
    EXPECT_GT(last(psnr), psnr.begin()->second + 9);
    for (const auto* name : {"loss", "loss/pixels", "loss/edges", "loss/divergence", "clips_per_second"})
        EXPECT_EQ(s_vae->metric(name).size(), std::size_t{kVaeSteps}) << name;
    const auto clips = s_vae->all<events::Clip>();
    ASSERT_EQ(clips.size(), 4U);
    const auto info = video::ClipReader(s_vae->path() / clips[0].path).info();
    EXPECT_EQ(info.frames, 5);
    EXPECT_EQ(info.width, 2 * info.height) << "the clip and its reconstruction";
}

TEST_F(TokenizerRun, AVaeThatResumesGoesOnAsIfItHadNot) {
    auto changes = latentConfig();
    changes.update({{"optimizer.schedule", "constant"}, {"steps", 8}});
    const TrainingRun whole(changes);
    changes["steps"] = 4;
    TrainingRun parts(changes);
    ASSERT_EQ(runVerb("train-vae", whole), 0) << whole.output();
    ASSERT_EQ(runVerb("train-vae", parts), 0) << parts.output();
    parts.configure({{"steps", 8}});
    ASSERT_EQ(runVerb("train-vae", parts), 0) << parts.output();
    EXPECT_EQ(parts.metric("loss"), whole.metric("loss"));
}

TEST_F(TokenizerRun, AVaeOfTwoRanksLearnsWhatOneDoes) {
    auto changes = latentConfig();
    changes.update({{"steps", 6}, {"data.batch_size", 4}, {"runtime.log_every", 1}, {"sampling.every", 6}});
    const TrainingRun alone(changes), together(changes);
    ASSERT_EQ(runVerb("train-vae", alone), 0) << alone.output();
    const auto ranks =
        startRanks({"train-vae", "--config", (together.path() / "config.json").string()}, together.path(), 2);
    for (const auto& rank : ranks) ASSERT_EQ(rank->wait(), 0) << readFile(together.path() / "output-0.txt");
    const auto one = alone.metric("loss"), two = together.metric("loss");
    ASSERT_EQ(one.size(), two.size());
    for (const auto& [step, loss] : one)
        EXPECT_NEAR(two.at(step), loss, 1e-5 * std::abs(loss)) << "step " << step;
}

TEST_F(TokenizerRun, AModelLearnsItsLatentsAndSamplesClips) {
    TrainingRun run(latentConfig());
    run.configure({{"tokenizer.checkpoint", checkpoint()},
                   {"validation.every", 6},
                   {"validation.clips", 2},
                   {"sampling.every", 6},
                   {"sampling.adherence_clips", 2}});
    ASSERT_EQ(run.train(), 0) << run.output();
    EXPECT_EQ(run.metric("loss").size(), 12U);
    EXPECT_EQ(run.metric("val/loss").size(), 2U);
    EXPECT_EQ(run.metric("adherence").size(), 2U) << "decoded clips are read back";
    EXPECT_EQ(run.all<events::Start>()[0].facts.at("tokens_per_clip"), 2 * 4 * 4);
    const auto clips = run.all<events::Clip>();
    ASSERT_EQ(clips.size(), 12U);
    EXPECT_EQ(clips[0].frames, 5);
    EXPECT_EQ(clips[0].height, 16);

    // another VAE's latents mean nothing to these weights
    TrainingRun other(latentConfig());
    ASSERT_EQ(runVerb("train-vae", other), 0) << other.output();
    run.configure(
        {{"steps", 20},
         {"tokenizer.checkpoint", (other.path() / other.all<events::Checkpoint>().back().path).string()}});
    EXPECT_EQ(run.train(), 2);
    EXPECT_THAT(run.output(), testing::HasSubstr("learned latents of another tokenizer"));
}

TEST_F(TokenizerRun, DecodesWhatAModelOfLatentsAndEmbeddingsInTheDataMakesOfTheirCaptions) {
    const TemporaryFolder shards("dailies-shards");
    Members members;
    for (int i = 0; i < 4; ++i) {
        const auto key = std::to_string(i);
        members.emplace_back(key + ".latent.npy",
                             npyOf({4, 2, 4, 4}, std::vector<float>(128, 0.1F * static_cast<float>(i))));
        members.emplace_back(key + ".text.npy", npyOf({2, 6}, std::vector<float>(12, 0.2F)));
        members.emplace_back(key + ".txt", "caption " + key);
    }
    writeFileAtomically(shards.path() / "0.tar", tarOf(members));
    TrainingRun run(latentConfig());
    run.configure({{"tokenizer.checkpoint", checkpoint()},
                   {"data.source", "webdataset"},
                   {"data.shards", {(shards.path() / "0.tar").string()}},
                   {"data.latents", "latent.npy"},
                   {"data.text_embeddings", "text.npy"},
                   {"data.batch_size", 2},
                   {"steps", 4},
                   {"sampling.every", 4}});
    ASSERT_EQ(run.train(), 0) << run.output();
    const auto clips = run.all<events::Clip>();
    ASSERT_EQ(clips.size(), 4U);
    EXPECT_EQ(clips[0].prompt, "caption 0");
    EXPECT_EQ(clips[0].width, 16);
    EXPECT_EQ(video::ClipReader(run.path() / clips[0].path).info().frames, clips[0].frames);
}

TEST_F(TokenizerRun, LatentsAreEncodedOnceAndReadFromThen) {
    const TemporaryFolder videos("dailies-videos");
    for (int clip = 0; clip < 3; ++clip) {
        std::vector<video::Frame> frames;
        for (int t = 0; t < 10; ++t)
            frames.push_back(
                {16, 16,
                 std::vector<std::uint8_t>(16 * 16 * 3, static_cast<std::uint8_t>(60 * clip + 5 * t))});
        video::ClipEncoding encoding;
        encoding.fps = 8;
        video::writeClip(videos.path() / ("clip" + std::to_string(clip) + ".mp4"), frames, encoding);
    }
    TrainingRun run(latentConfig());
    run.configure({{"tokenizer.checkpoint", checkpoint()},
                   {"data.source", "folder"},
                   {"data.folder", videos.path().string()},
                   {"data.workers", 2}});
    ASSERT_EQ(runVerb("cache", run), 0) << run.output();
    EXPECT_THAT(run.output(), testing::HasSubstr("6 of 6 clips: 6 encoded, 0 were there"));
    ASSERT_EQ(runVerb("cache", run), 0) << run.output();
    EXPECT_THAT(run.output(), testing::HasSubstr("6 of 6 clips: 0 encoded, 6 were there"));
    ASSERT_EQ(run.train(), 0) << run.output();
    const auto cached = run.metric("loss");

    run.configure({{"data.cache", (run.path() / "empty").string()}});
    std::filesystem::remove_all(run.path() / "checkpoints");
    std::filesystem::remove(run.path() / "events.jsonl");
    ASSERT_EQ(run.train(), 0) << run.output();
    EXPECT_EQ(run.metric("loss"), cached) << "latents from the cache are those that are encoded on the way";
}

TEST(TokenizerConfig, ClipsThatItDoesNotTakeAreRefusedWithTheNearest) {
    auto changes = latentConfig();
    changes.update({{"data.frames", 8}, {"data.height", 18}});
    const TrainingRun run(changes);
    EXPECT_EQ(runVerb("train-vae", run), 2);
    EXPECT_THAT(run.output(), testing::HasSubstr("data.frames: found 8 frames, expected 1 + a multiple of 4 "
                                                 "for the tokenizer: 5 or 9."));
    EXPECT_THAT(run.output(), testing::HasSubstr("data.height: found 18 pixels, expected a multiple of 4"));
    const TrainingRun without(latentConfig());
    EXPECT_EQ(without.train(), 2);
    EXPECT_THAT(without.output(), testing::HasSubstr("tokenizer.checkpoint: found nothing"));
}

TEST(BytesRun, TrainsItsTextEncoderAlongAndResumes) {
    const Json changes = {{"text.encoder", "bytes"},
                          {"text.width", 16},
                          {"text.heads", 2},
                          {"validation.every", 6},
                          {"validation.clips", 2},
                          {"optimizer.accumulate", 2},
                          {"sampling.prompts", {"red circle left", "a word it never saw"}}};
    const TrainingRun whole(changes);
    ASSERT_EQ(whole.train(), 0) << whole.output();
    EXPECT_EQ(whole.all<events::Clip>().size(), 2U);
    EXPECT_THAT(whole.output(), testing::Not(testing::HasSubstr("no caption of the data has the word")));
    TrainingRun parts(changes);
    parts.configure({{"checkpoint.every", 5}});
    {
        const auto process = parts.start();
        ASSERT_TRUE(parts.waitForStep(6));
        process.signal(SIGKILL);
    }
    ASSERT_EQ(parts.train(), 0) << parts.output();
    EXPECT_EQ(parts.metric("loss"), whole.metric("loss"));
}

}  // namespace
}  // namespace dailies::trainer
