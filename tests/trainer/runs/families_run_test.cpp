#include "core/base/files.h"
#include "core/base/json.h"
#include "core/video/clip_file.h"
#include "tests/trainer/data/shards.h"
#include "tests/trainer/runs/training_run.h"

#include <gmock/gmock.h>

#include <cmath>

namespace dailies::trainer {
namespace {

using ::testing::HasSubstr;

/// Each family as a person chooses it, in the tiny run: trained, checkpointed and sampled by the program.
class FamilyRun : public testing::TestWithParam<Json> {};

TEST_P(FamilyRun, TrainsSamplesAndResumesAsIfItHadNotStopped) {
    auto all = GetParam();
    all.update({{"steps", 12}, {"checkpoint.every", 6}, {"optimizer.schedule", "constant"}});
    const TrainingRun whole(all);
    expectResumesAsIfItHadNotStopped(whole, all);
    EXPECT_FALSE(whole.all<events::Clip>().empty()) << whole.output();
}

INSTANTIATE_TEST_SUITE_P(
    All, FamilyRun,
    testing::Values(
        Json{{"model.family", "st-dit"}, {"model.depth", 2}},
        Json{{"model.family", "wan"}, {"model.activation", "gelu-tanh"}},
        Json{{"model.family", "ltx"}, {"model.conditioning", "in_place"}, {"model.patch_frames", 1}},
        Json{{"model.adaln", "lora"}, {"model.adaln_rank", 4}, {"model.recompute", "full"}},
        Json{{"model.conditioning", "frames"}, {"model.positions", "none"}},
        Json{{"model.family", "wan"}, {"model.conditioning", "in_place"}, {"model.patch_frames", 1}}));

TEST(Recomputation, LeavesTheLossesAsTheyAre) {
    const TrainingRun kept, again(Json{{"model.recompute", "full"}}),
        part(Json{{"model.recompute", "selective"}});
    for (const auto* run : {&kept, &again, &part}) ASSERT_EQ(run->train(), 0) << run->output();
    EXPECT_EQ(again.metric("loss"), kept.metric("loss"));
    EXPECT_EQ(part.metric("loss"), kept.metric("loss"));
}

TEST(GivenFrames, AreRefusedWhereNothingIsLeftToLearn) {
    const TrainingRun run(Json{{"model.conditioning", "frames"}, {"model.given_frames", 100}});
    EXPECT_EQ(run.train(), 2);
    EXPECT_THAT(run.output(), HasSubstr("model.given_frames: found 100"));
}

/// How bright the middle of a clip's frame is, 0 … 255.
int brightness(const TrainingRun& run, const events::Clip& clip, int frame) {
    const auto picture = video::ClipReader(run.path() / clip.path).frame(frame);
    return picture.rgb[picture.rgb.size() / 2];
}

TEST(GivenFrames, BeginTheClipsOfTheirPrompts) {
    TrainingRun run(Json{{"model.conditioning", "frames"},
                         {"model.positions", "none"},
                         {"model.given_frames", 2},
                         {"data.frames", 4},
                         {"sampling.prompts", {"red circle left", "blue square up", "red square up"}},
                         {"steps", 4}});
    const auto video = (run.path() / "given.mp4").string();
    writeFileAtomically(video, videoBytes(40, 16, 16));  // its last frames have brightness 172 and 176
    run.configure({{"sampling.given_files", {video, "", video}}});
    ASSERT_EQ(run.train(), 0) << run.output();
    const auto clips = run.all<events::Clip>();
    ASSERT_EQ(clips.size(), 3U);
    for (const auto i : {0U, 2U}) {
        EXPECT_NEAR(brightness(run, clips[i], 0), 172, 8);
        EXPECT_NEAR(brightness(run, clips[i], 1), 176, 8);
        EXPECT_LT(brightness(run, clips[i], 3), 150) << "four steps learn no more than a dark background";
    }
    EXPECT_LT(brightness(run, clips[1], 0), 150) << "nothing was given";
    const auto note = parseJson(
        readFile(run.path() / std::filesystem::path(clips[0].path).replace_extension(".json")), "note");
    EXPECT_EQ(note.at("given_file"), video);
    EXPECT_EQ(note.at("given_frames"), 2);
}

TEST(GivenFrames, InPlaceBeginTheClipsOfTheirPrompts) {
    TrainingRun run(Json{{"model.family", "wan"},
                         {"model.conditioning", "in_place"},
                         {"model.patch_frames", 1},
                         {"data.frames", 4},
                         {"sampling.prompts", {"red circle left", "blue square up"}},
                         {"steps", 4}});
    const auto video = (run.path() / "given.mp4").string();
    writeFileAtomically(video, videoBytes(40, 16, 16));  // its last frame has brightness 176
    run.configure({{"sampling.given_files", {video, ""}}});
    ASSERT_EQ(run.train(), 0) << run.output();
    const auto clips = run.all<events::Clip>();
    ASSERT_EQ(clips.size(), 2U);
    EXPECT_NEAR(brightness(run, clips[0], 0), 176, 8);
    EXPECT_LT(brightness(run, clips[0], 3), 150) << "four steps learn no more than a dark background";
    EXPECT_LT(brightness(run, clips[1], 0), 150) << "nothing was given";
}

TEST(GivenFrames, OfAFileThatIsNotThereEndTheRunBeforeItTrains) {
    TrainingRun run(Json{{"model.conditioning", "frames"}, {"data.frames", 4}, {"model.positions", "none"}});
    run.configure({{"sampling.given_files", {"/no/such/first-frame.png"}}});
    EXPECT_EQ(run.train(), 2);
    EXPECT_THAT(run.output(), HasSubstr("/no/such/first-frame.png"));
    EXPECT_TRUE(run.metric("loss").empty());
    run.configure({{"sampling.given_files", {"a.png", "b.png"}}, {"sampling.prompts", {"red circle left"}}});
    EXPECT_EQ(run.train(), 2);
    EXPECT_THAT(run.output(), HasSubstr("sampling.given_files: found 2 for 1 of sampling.prompts"));
    run.configure({{"model.conditioning", "none"}, {"sampling.given_files", {"a.png"}}});
    EXPECT_EQ(run.train(), 2);
    EXPECT_THAT(run.output(), HasSubstr("with model.conditioning none"));
}

}  // namespace
}  // namespace dailies::trainer
