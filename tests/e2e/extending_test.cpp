#include "tests/e2e/sandbox_with_trainer.h"

#include <gmock/gmock.h>

// A run that has ended trains on, as a person asks for from one of its clips.

namespace {

using namespace dailies;
using testing::HasSubstr;

class Extending : public test::SandboxWithTrainer {
protected:
    static test::DailiesProgram::Answer trainTo(int steps) {
        return train("steps-" + std::to_string(steps), "seed: {values: [3]}",
                     "optimizer.schedule: constant, runtime.log_every: 1, steps: " + std::to_string(steps));
    }
    static std::map<std::int64_t, double> losses(const std::string& runId) {
        std::map<std::int64_t, double> curve;
        for (const auto& point : store().history(runId, "loss")) {
            EXPECT_FALSE(curve.contains(point.step)) << "step " << point.step << " twice";
            curve[point.step] = point.value;
        }
        return curve;
    }
};

TEST_F(Extending, ARunThatIsExtendedEqualsOneThatWasThatLongFromTheStart) {
    const auto part = trainTo(20), whole = trainTo(40);
    ASSERT_EQ(part.status, 0) << part.err;
    ASSERT_EQ(whole.status, 0) << whole.err;
    const auto run = runId(part);
    ASSERT_EQ(losses(run).size(), 20u);
    const auto extended = s_dailies->run({"extend", run, "--steps", "40"});
    ASSERT_EQ(extended.status, 0) << extended.err;
    const auto followed = s_dailies->run({"follow", "--cluster", "sandbox"});
    ASSERT_EQ(followed.status, 0) << followed.err;

    const auto ended = *store().run(run);
    EXPECT_EQ(ended.status, tracking::RunStatus::Finished);
    EXPECT_EQ(losses(run), losses(runId(whole))) << "bit for bit, without a seam at step 20";
    ASSERT_EQ(store().restarts(run).size(), 1u);
    EXPECT_EQ(store().restarts(run)[0].fromStep, 20);
    EXPECT_EQ(store().attempts(run).size(), 2u);

    const auto clips = store().clips({run}), others = store().clips({runId(whole)});
    ASSERT_EQ(clips.size(), others.size());
    for (std::size_t i = 0; i < clips.size(); ++i) {
        EXPECT_EQ(clips[i].path, others[i].path);
        EXPECT_EQ(readFile(clips[i].localPath), readFile(others[i].localPath)) << clips[i].path;
    }
}

TEST_F(Extending, ToFewerStepsThanItHadIsRefused) {
    const auto part = trainTo(20);
    ASSERT_EQ(part.status, 0) << part.err;
    const auto answer = s_dailies->run({"extend", runId(part), "--steps", "20"});
    EXPECT_EQ(answer.status, 2);
    EXPECT_THAT(answer.err, HasSubstr("cannot be extended to 20"));
}

}  // namespace
