#include "core/tracking/batch_run.h"
#include "core/video/clip_file.h"
#include "tests/e2e/sandbox_with_trainer.h"

#include <gmock/gmock.h>

#include <set>

// What a step of a run takes of its data, asked for from this machine.

namespace {

using namespace dailies;
using testing::AllOf;
using testing::HasSubstr;
namespace fs = std::filesystem;

class Batches : public test::SandboxWithTrainer {};

TEST_F(Batches, OfAnyStepComeHereAsClipsOfARunOfTheirOwn) {
    const auto training = train("batches", "seed: {values: [1]}", "steps: 20");
    ASSERT_EQ(training.status, 0) << training.err;
    const auto trained = runId(training);

    const auto answer =
        s_dailies->run({"batch", trained, "--steps", "3,20", "--clips", "3", "--wait", "--format", "json"});
    ASSERT_EQ(answer.status, 0) << answer.err;
    const auto past = store();
    const auto run = past.run(runId(answer)).value();
    EXPECT_EQ(run.status, tracking::RunStatus::Finished);
    EXPECT_THAT(run.name, HasSubstr("batches 3, 20 of "));
    EXPECT_EQ(run.tags.at(tracking::tag::kBatchOf), trained);
    const auto clips = past.clips({run.id});
    ASSERT_EQ(clips.size(), 6U);
    std::set<std::int64_t> steps;
    for (const auto& clip : clips) {
        steps.insert(clip.step);
        EXPECT_EQ(video::ClipReader(clip.localPath).info().frames, 4) << "it is here to be seen";
        EXPECT_EQ(clip.frames, 4);
        EXPECT_EQ(clip.height, 16);
    }
    EXPECT_EQ(steps, (std::set<std::int64_t>{3, 20}));
    const auto inputs = past.clipInputs({run.id});
    ASSERT_EQ(inputs.size(), 6U);
    for (const auto& input : inputs) {
        EXPECT_EQ(input.name, "noised");
        EXPECT_TRUE(fs::exists(input.localPath));
    }
}

TEST_F(Batches, AreRefusedBeforeAnythingIsSentWhereARunHasNone) {
    const auto training = train("short", "seed: {values: [2]}", "steps: 20");
    ASSERT_EQ(training.status, 0) << training.err;
    const auto trained = runId(training);
    const auto sweeps = store().sweeps().size();
    const auto late = s_dailies->run({"batch", trained, "--steps", "21"});
    EXPECT_EQ(late.status, 2);
    EXPECT_THAT(late.err, AllOf(HasSubstr("steps: found 21"), HasSubstr("at most the 20")));
    const auto rank = s_dailies->run({"batch", trained, "--steps", "1", "--rank", "1"});
    EXPECT_EQ(rank.status, 2);
    EXPECT_THAT(rank.err, HasSubstr("rank: found 1, expected 0 to 0"));
    const auto shown = s_dailies->run({"batch", trained, "--steps", "1", "--wait", "--format", "json"});
    ASSERT_EQ(shown.status, 0) << shown.err;
    const auto again = s_dailies->run({"batch", runId(shown), "--steps", "1"});
    EXPECT_EQ(again.status, 2);
    EXPECT_THAT(again.err, HasSubstr("is not trained by dailies-train"));
    EXPECT_EQ(store().sweeps().size(), sweeps + 1);
}

}  // namespace
