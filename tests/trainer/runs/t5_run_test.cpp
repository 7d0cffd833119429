#include "core/video/clip_file.h"
#include "tests/trainer/runs/training_run.h"
#include "tests/trainer/text/tiny_t5.h"

#include <gmock/gmock.h>

#include <cmath>

// Runs whose captions a published text encoder reads.

namespace dailies::trainer {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class T5Run : public testing::Test {
protected:
    T5Run() { writeTinyT5(m_encoder.path()); }

    Json config() const {
        return {{"model.family", "wan"}, {"model.text_places", 12},
                {"text.encoder", "t5"},  {"text.weights", m_encoder.path().string()},
                {"text.width", 16},      {"steps", 3},
                {"sampling.every", 3},   {"sampling.prompts", {"two cats look out of a window", "a dog"}},
                {"validation.every", 3}, {"validation.clips", 2},
                {"sampling.guidance", 3}};
    }

    const TemporaryFolder m_encoder;
};

TEST_F(T5Run, AWanLearnsFromItsWordsAndSamplesPrompts) {
    const TrainingRun run(config());
    ASSERT_EQ(run.train(), 0) << run.output();
    const auto losses = run.metric("loss");
    ASSERT_EQ(losses.size(), 3U);
    for (const auto& [step, loss] : losses) EXPECT_TRUE(std::isfinite(loss)) << step;
    EXPECT_EQ(run.metric("val/loss").size(), 1U);
    const auto clips = run.all<events::Clip>();
    ASSERT_EQ(clips.size(), 2U);
    EXPECT_EQ(clips[0].prompt, "two cats look out of a window");
    for (const auto& clip : clips) EXPECT_EQ(video::ClipReader(run.path() / clip.path).info().frames, 2);

    // the checkpoint alone makes the same clip again, and others of any prompt
    const auto checkpoint = (run.path() / run.all<events::Checkpoint>().back().path).string();
    const TemporaryFolder made;
    const auto output = made.path() / "output.txt";
    std::string longPrompt;
    while (longPrompt.size() < 10'000) longPrompt += "a dog runs along the beach ";
    ASSERT_EQ(TrainerProcess({"sample", "--run-dir", made.path().string(), "--checkpoint", checkpoint,
                              "--prompt", "a dog", "--prompt", longPrompt},
                             output)
                  .wait(),
              0)
        << readFile(output);
    const auto again = made.path() / "clips/step-000000003/a-dog-1.mp4";
    ASSERT_TRUE(std::filesystem::exists(again));
    EXPECT_EQ(furthestApart(again, run.path() / clips[1].path), 0);
    const auto events = readFile(made.path() / "events.jsonl");
    EXPECT_THAT(events, AllOf(HasSubstr("was cut to 12 (model.text_places)"), HasSubstr("a dog runs along")));
}

TEST_F(T5Run, CaptionsAreReadFromTheCacheFromThenOn) {
    const TemporaryFolder cache;
    auto settings = config();
    settings["data.cache"] = cache.path().string();
    const TrainingRun first(settings);
    ASSERT_EQ(first.train(), 0) << first.output();
    ASSERT_TRUE(std::filesystem::exists(cache.path() / "text"));
    // whoever reads the weights now meets a NaN
    writeTinyT5(m_encoder.path(), {.notFinite = "encoder.block.1.layer.1.DenseReluDense.wo.weight"});
    const TrainingRun second(settings);
    ASSERT_EQ(second.train(), 0) << second.output();
    EXPECT_EQ(second.metric("loss"), first.metric("loss"));
    settings["data.cache"] = "";
    const TrainingRun third(settings);
    EXPECT_EQ(third.train(), 2);
    EXPECT_THAT(third.output(), HasSubstr("wo.weight has 1 number that is not finite"));
}

TEST_F(T5Run, TheVerbCacheEncodesAllThatARunReads) {
    TrainingRun run(config());
    const auto output = run.path() / "cache.txt";
    ASSERT_EQ(TrainerProcess({"cache", "--config", (run.path() / "config.json").string()}, output).wait(), 0)
        << readFile(output);
    EXPECT_THAT(readFile(output), HasSubstr(" captions: "));
    writeTinyT5(m_encoder.path(), {.notFinite = "encoder.block.1.layer.1.DenseReluDense.wo.weight"});
    ASSERT_EQ(run.train(), 0) << run.output();
    EXPECT_EQ(run.metric("loss").size(), 3U);
}

TEST_F(T5Run, AnotherEncoderThanTheConfigTellsEndsTheRunBeforeItsFirstStep) {
    TrainingRun run(config());
    run.configure({{"text.width", 4096}});
    EXPECT_EQ(run.train(), 2);
    EXPECT_THAT(run.output(), AllOf(HasSubstr("text.width: found 4096"), HasSubstr("has 16")));
    run.configure({{"text.weights", ""}});
    EXPECT_EQ(run.train(), 2);
    EXPECT_THAT(run.output(), HasSubstr("text.weights: found nothing"));
    EXPECT_TRUE(run.metric("loss").empty());
}

}  // namespace
}  // namespace dailies::trainer
