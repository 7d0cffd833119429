#include "core/base/text.h"
#include "tests/remote/cluster/sandbox_fixture.h"

#include <gmock/gmock.h>

#include <regex>

// What a cluster does to jobs, done to them for real, and the words in which a person reads of it.

namespace dailies::remote {
namespace {

using testing::HasSubstr;
using tracking::RunStatus;
namespace tag = tracking::tag;

class ClusterFault : public SandboxTest {
protected:
    /// Sets lines of the sandbox's own slurm.conf, the last of which is a partition's, and waits until Slurm
    /// goes by them.
    static void configure(Cluster& cluster, const std::string& lines) {
        const auto file = s_folder->path() / "s/slurm.conf";
        writeFileAtomically(file, readFile(file) + lines);
        const auto done = cluster.session().run("scontrol reconfigure\n");
        ASSERT_TRUE(done.ok()) << done.err;
    }

    void followUntilRunning(Follower& follower, const LaunchPlan& sent) {
        follow(follower, [&](auto&) { return !m_store.history(sent.runIds[0], "loss").empty(); });
        EXPECT_EQ(runOf(sent).status, RunStatus::Running);
    }

    std::string errorOf(const LaunchPlan& sent) const {
        for (const auto& message : m_store.messages(sent.runIds[0]))
            if (message.level == "error") return message.text;
        return {};
    }
};

/// Words for the node that a run is on.
std::string setNode(const std::string& node, const std::string& state) {
    return "scontrol update NodeName=" + shellQuote(node) + " State=" + state + " Reason=test\n";
}

TEST_F(ClusterFault, ANodeThatFailsIsNamedWithWhatToDo) {
    trainer("metric 1 0.5\nexec sleep 300");
    Cluster cluster = connect();
    LaunchPlan sent = plan(cluster);
    sent.script = std::regex_replace(sent.script, std::regex("--requeue"), "--no-requeue");
    launch(cluster, sent, m_store);
    Follower follower(cluster, m_store, mirror());
    followUntilRunning(follower, sent);
    const std::string node = cluster.scheduler().poll({runOf(sent).tags[tag::kJob]}).at(0).node;
    ASSERT_TRUE(cluster.session().run(setNode(node, "DOWN")).ok());
    followToTheEnd(follower);
    EXPECT_EQ(runOf(sent).status, RunStatus::Failed);
    EXPECT_EQ(runOf(sent).tags[tag::kSlurmState], "NODE_FAIL");
    EXPECT_THAT(runOf(sent).tags[tag::kReason],
                testing::AllOf(HasSubstr("Its node failed"), HasSubstr("Launch it again.")));
    EXPECT_EQ(errorOf(sent), runOf(sent).tags[tag::kReason]);
    cluster.session().run(setNode(node, "RESUME"));
}

TEST_F(ClusterFault, ARunWhoseNodeFailsGoesOnWhereItMayBeRequeued) {
    trainer("metric 1 0.5\n[ $restarts = 0 ] && exec sleep 300\nfinish");
    Cluster cluster = connect();
    const LaunchPlan sent = plan(cluster);
    launch(cluster, sent, m_store);
    Follower follower(cluster, m_store, mirror());
    followUntilRunning(follower, sent);
    const std::string node = cluster.scheduler().poll({runOf(sent).tags[tag::kJob]}).at(0).node;
    ASSERT_TRUE(cluster.session().run(setNode(node, "DOWN")).ok());
    follow(follower, [&](auto&) { return runOf(sent).status == RunStatus::Scheduled; });
    followToTheEnd(follower, 120);
    EXPECT_EQ(runOf(sent).status, RunStatus::Finished);
    const auto attempts = m_store.attempts(sent.runIds[0]);
    ASSERT_EQ(attempts.size(), 2u);
    EXPECT_EQ(attempts[0].state, "REQUEUED");
    EXPECT_EQ(attempts[1].state, "COMPLETED");
    EXPECT_EQ(errorOf(sent), "") << "a node that failed is no error of a run that went on";
    cluster.session().run(setNode(node, "RESUME"));
}

TEST_F(ClusterFault, ATimeLimitThatIsReachedIsNamedWithWhatToDo) {
    trainer("trap '' USR1 TERM\nmetric 1 0.5\nfor i in $(seq 300); do sleep 1; done");
    Cluster cluster = connect();
    LaunchPlan sent = plan(cluster);
    sent.script = std::regex_replace(sent.script, std::regex("--time=0:10:00"), "--time=0:01:00");
    launch(cluster, sent, m_store);
    Follower follower(cluster, m_store, mirror());
    followToTheEnd(follower, 160);
    EXPECT_EQ(runOf(sent).status, RunStatus::Failed);
    EXPECT_EQ(runOf(sent).tags[tag::kSlurmState], "TIMEOUT");
    EXPECT_EQ(runOf(sent).tags[tag::kReason],
              "It ran longer than its time limit. Ask for a longer time limit.");
    EXPECT_EQ(m_store.history(sent.runIds[0], "loss").size(), 1u);
}

/// A partition for the urgent, which takes the nodes from the other one's jobs.
constexpr const char* kUrgent =
    "PreemptType=preempt/partition_prio\nMinJobAge=10\n"
    "PartitionName=urgent Nodes=ALL PriorityTier=10 PreemptMode=OFF\n";

/// A job that needs every core of both nodes.
constexpr const char* kUrgentJob = "sbatch -p urgent -N 2 -n 4 --mem=0 -o /dev/null --wrap 'sleep 5'\n";

TEST_F(ClusterFault, APreemptedRunThatIsRequeuedGoesOnAfterTheUrgentJob) {
    trainer("metric 1 0.5\n[ $restarts = 0 ] && exec sleep 300\nfinish");
    Cluster cluster = connect();
    configure(cluster, std::string("PreemptMode=REQUEUE\n") + kUrgent);
    const LaunchPlan sent = plan(cluster);
    launch(cluster, sent, m_store);
    Follower follower(cluster, m_store, mirror());
    followUntilRunning(follower, sent);
    ASSERT_TRUE(cluster.session().run(kUrgentJob).ok());
    follow(follower, [&](auto&) { return runOf(sent).status == RunStatus::Scheduled; });
    EXPECT_EQ(errorOf(sent), "");
    followToTheEnd(follower, 120);
    EXPECT_EQ(runOf(sent).status, RunStatus::Finished) << runOf(sent).tags[tag::kReason];
    EXPECT_EQ(m_store.attempts(sent.runIds[0]).size(), 2u);
}

TEST_F(ClusterFault, APreemptedRunThatSlurmDropsSaysSo) {
    trainer("metric 1 0.5\nexec sleep 300");
    Cluster cluster = connect();
    configure(cluster, std::string("PreemptMode=CANCEL\n") + kUrgent);
    const LaunchPlan sent = plan(cluster);
    launch(cluster, sent, m_store);
    Follower follower(cluster, m_store, mirror());
    followUntilRunning(follower, sent);
    ASSERT_TRUE(cluster.session().run(kUrgentJob).ok());
    follow(follower, [&](auto&) { return runOf(sent).tags[tag::kSlurmState] == "PREEMPTED"; });
    followToTheEnd(follower, 150);
    EXPECT_EQ(runOf(sent).status, RunStatus::Failed);
    EXPECT_THAT(runOf(sent).tags[tag::kReason], HasSubstr("preempted"));
    EXPECT_THAT(runOf(sent).tags[tag::kReason], HasSubstr("Launch it again."));
}

}  // namespace
}  // namespace dailies::remote
