#include "core/base/json.h"
#include "tests/trainer/runs/training_run.h"

#include <gmock/gmock.h>

#include <cmath>

namespace dailies::trainer {
namespace {

using ::testing::HasSubstr;

/// Each family as a person chooses it, in the tiny run: trained, checkpointed and sampled by the program.
class FamilyRun : public testing::TestWithParam<Json> {};

TEST_P(FamilyRun, TrainsSamplesAndResumesAsIfItHadNotStopped) {
    auto half = GetParam();
    half["steps"] = 6;
    half["checkpoint.every"] = 6;
    half["optimizer.schedule"] = "constant";
    auto all = half;
    all["steps"] = 12;
    const TrainingRun whole(all);
    TrainingRun resumed(half);
    ASSERT_EQ(whole.train(), 0) << whole.output();
    ASSERT_EQ(resumed.train(), 0) << resumed.output();
    resumed.configure(all);
    ASSERT_EQ(resumed.train(), 0) << resumed.output();
    const auto losses = whole.metric("loss");
    EXPECT_EQ(resumed.metric("loss"), losses);
    EXPECT_FALSE(losses.empty());
    EXPECT_FALSE(whole.all<events::Clip>().empty()) << whole.output();
}

INSTANTIATE_TEST_SUITE_P(
    All, FamilyRun,
    testing::Values(Json{{"model.family", "st-dit"}, {"model.depth", 2}},
                    Json{{"model.family", "wan"}, {"model.activation", "gelu-tanh"}},
                    Json{{"model.adaln", "lora"}, {"model.adaln_rank", 4}, {"model.recompute", "full"}},
                    Json{{"model.conditioning", "frames"}, {"model.positions", "none"}}));

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

}  // namespace
}  // namespace dailies::trainer
