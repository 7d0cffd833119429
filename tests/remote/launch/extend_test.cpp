#include "remote/launch/extend.h"

#include "tests/remote/cluster/sandbox_fixture.h"

#include <gmock/gmock.h>

namespace dailies::remote {
namespace {

using testing::HasSubstr;
using tracking::RunStatus;
namespace tag = tracking::tag;

class Extending : public SandboxTest {
protected:
    std::string refusal(Cluster& cluster, const std::string& runId, std::int64_t steps) {
        try {
            extendRun(cluster, m_store, runId, steps);
        } catch (const InputError& error) {
            return error.what();
        }
        return "was submitted";
    }
};

TEST_F(Extending, ARunThatEndedTrainsOnInAFurtherAttempt) {
    // logs at the last step that its config allows
    trainer(
        "metric \"$(sed -n 's/^ *\"steps\": *\\([0-9]*\\).*/\\1/p' \"$run/config.json\" | head -1)\" "
        "0.5\nfinish");
    Cluster cluster = connect();
    const LaunchPlan sent = plan(cluster);
    launch(cluster, sent, m_store);
    EXPECT_THAT(refusal(cluster, sent.runIds[0], 100'000), HasSubstr("has not ended"));
    Follower follower(cluster, m_store, mirror());
    followToTheEnd(follower);
    ASSERT_EQ(runOf(sent).status, RunStatus::Finished);
    const std::int64_t before = runOf(sent).metrics.at("loss").step;
    EXPECT_THAT(refusal(cluster, sent.runIds[0], before), HasSubstr("cannot be extended to"));

    extendRun(cluster, m_store, sent.runIds[0], before + 500);
    EXPECT_EQ(runOf(sent).status, RunStatus::Scheduled);
    EXPECT_EQ(runOf(sent).tags.at(tag::kExtendedTo), std::to_string(before + 500));
    EXPECT_EQ(runOf(sent).params.at("steps"), std::to_string(before + 500))
        << "what it runs with from now on";
    Follower again(cluster, m_store, mirror());
    followToTheEnd(again);
    EXPECT_EQ(runOf(sent).status, RunStatus::Finished) << runOf(sent).tags[tag::kReason];
    EXPECT_EQ(runOf(sent).metrics.at("loss").step, before + 500);
    EXPECT_EQ(m_store.history(sent.runIds[0], "loss").size(), 2u) << "the same run, its curve goes on";
    EXPECT_EQ(m_store.attempts(sent.runIds[0]).size(), 2u);

    m_store.setTag(sent.runIds[0], tag::kProgram, "train.py");
    EXPECT_THAT(refusal(cluster, sent.runIds[0], 100'000), HasSubstr("up to its program"));
}

}  // namespace
}  // namespace dailies::remote
