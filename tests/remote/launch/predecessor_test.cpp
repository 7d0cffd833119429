#include "remote/launch/predecessor.h"

#include "remote/fit/resource_check.h"
#include "remote/launch/launch_check.h"
#include "tests/remote/cluster/sandbox_fixture.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace dailies::remote {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using tracking::RunStatus;
namespace fs = std::filesystem;
namespace tag = tracking::tag;

class Chains : public SandboxTest {
protected:
    LaunchPlan planAfter(Cluster& cluster, const LaunchPlan& first, const sweep::SweepDependency& after,
                         int runs = 1) {
        auto sweep = plan(cluster, runs).sweep;
        sweep.name = "second";
        sweep.after = after;
        if (sweep.after->sweep.empty()) sweep.after->sweep = first.sweepId;
        const auto before = predecessorOf(m_store, sweep, s_profile.name, static_cast<std::size_t>(runs));
        return planLaunch(sweep, s_profile, cluster.workspace(),
                          {"test", (m_files.path() / "trainer").string()}, {}, before);
    }
    std::int64_t startOf(const LaunchPlan& sent) { return m_store.attempts(sent.runIds[0]).at(0).startMs; }
};

TEST_F(Chains, ASweepStartsWhenTheOneBeforeItHasFinishedAndBeginsWithItsCheckpoint) {
    // The first leaves a checkpoint; the second finds it as its own.
    trainer(
        "if [ -e \"$run/checkpoints/step-000000007/manifest.json\" ]; then metric 8 0.25; finish; exit; fi\n"
        "mkdir -p \"$run/checkpoints/step-000000007\"\necho '{}' "
        ">\"$run/checkpoints/step-000000007/manifest.json\"\n"
        "sleep 1\nmetric 7 0.5\nfinish");
    Cluster cluster = connect();
    const LaunchPlan first = plan(cluster);
    launch(cluster, first, m_store);
    const LaunchPlan second = planAfter(cluster, first, {"quick", false, true}, 2);
    EXPECT_EQ(second.sweep.after->sweep, first.sweepId) << "a name may come to mean another sweep";
    launch(cluster, second, m_store);
    Follower follower(cluster, m_store, mirror());
    follow(follower, [&](const FollowReport&) {
        return runOf(second).tags[tag::kReason] == "Waiting for another job to end." ||
               runOf(second).status == RunStatus::Finished;
    });
    followToTheEnd(follower);
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(runOf(second, i).status, RunStatus::Finished) << runOf(second, i).tags[tag::kReason];
        EXPECT_EQ(runOf(second, i).metrics.at("loss").step, 8) << "it went on from the other's checkpoint";
    }
    EXPECT_GE(startOf(second), m_store.attempts(first.runIds[0]).at(0).endMs);
}

TEST_F(Chains, ASweepWhoseTurnCanNeverComeIsCancelledWithTheReason) {
    trainer("sleep 1\nexit 3");
    Cluster cluster = connect();
    const LaunchPlan first = plan(cluster);
    launch(cluster, first, m_store);
    const LaunchPlan second = planAfter(cluster, first, {});
    const LaunchPlan anyhow = planAfter(cluster, first, {"", true, false});
    launch(cluster, second, m_store);
    launch(cluster, anyhow, m_store);
    Follower follower(cluster, m_store, mirror());
    followToTheEnd(follower);
    EXPECT_EQ(runOf(first).status, RunStatus::Failed);
    EXPECT_EQ(runOf(second).status, RunStatus::Killed);
    EXPECT_THAT(runOf(second).tags[tag::kReason], HasSubstr("a job it depends on")) << "explained";
    EXPECT_TRUE(m_store.attempts(second.runIds[0]).empty() ||
                m_store.attempts(second.runIds[0]).back().node.empty())
        << "it never ran";
    EXPECT_NE(m_store.attempts(anyhow.runIds[0]).back().startMs, 0) << "whatever became of the first";
    try {
        planAfter(cluster, first, {});
        FAIL() << "a sweep that failed was waited for";
    } catch (const InputError& error) {
        EXPECT_THAT(error.full(), AllOf(HasSubstr("can no longer succeed"), HasSubstr("failed")));
    }
}

TEST_F(Chains, WhatCannotBeFollowedIsRefusedBeforeAnythingIsSent) {
    trainer("sleep 30\nfinish");
    Cluster cluster = connect();
    const LaunchPlan first = plan(cluster, 3);
    launch(cluster, first, m_store);
    const auto refusal = [&](const sweep::SweepDependency& after, int runs) -> std::string {
        try {
            planAfter(cluster, first, after, runs);
        } catch (const InputError& error) {
            return error.full();
        }
        return "taken";
    };
    EXPECT_THAT(refusal({"quikc", false, false}, 1), HasSubstr("Did you mean quick?"));
    EXPECT_THAT(refusal({"", false, true}, 2), HasSubstr("expected one run there, or as many"));
    EXPECT_EQ(refusal({"", false, true}, 3), "taken");
    cancelSweep(cluster, m_store, first.sweepId);
    Follower follower(cluster, m_store, mirror());
    followToTheEnd(follower);
}

TEST_F(Chains, TheClusterIsAskedWhetherItWouldTakeASweepAndNothingIsSent) {
    trainer("finish");
    Cluster cluster = connect();
    auto enough = plan(cluster).sweep;
    enough.resources.memory = "1G";  // the fixture's runs get by with less than a trainer
    const LaunchPlan fits = planLaunch(enough, s_profile, cluster.workspace(), {});
    const auto good = checkLaunch(cluster, fits);
    for (const auto& finding : good.findings)
        EXPECT_EQ(finding.verdict, Verdict::Good) << finding.what << ": " << finding.found;
    EXPECT_GT(good.startTime, 0) << "Slurm says when it would start";
    EXPECT_EQ(cluster.session().run("squeue -h -t all -o %k | grep -c " + fits.sweepId + "\n").out, "0\n");

    LaunchPlan edited = plan(cluster);
    edited.script.insert(edited.script.find("#SBATCH --nodes"), "#SBATCH --licenses=nonsense\n");
    EXPECT_EQ(worstVerdict(checkLaunch(cluster, edited).findings), Verdict::Bad) << "Slurm's own refusal";

    LaunchPlan nowhere = fits;
    nowhere.sweep.environment.venv = "/nowhere/venv";
    const auto lacking = checkLaunch(cluster, nowhere).findings;
    EXPECT_EQ(worstVerdict(lacking), Verdict::Bad);
    EXPECT_TRUE(std::ranges::any_of(lacking, [](const ClusterFinding& finding) {
        return finding.found == "there is no Python environment /nowhere/venv";
    }));

    LaunchPlan unreadable = plan(cluster);
    unreadable.script += "if true; then\n";
    const auto read = checkLaunch(cluster, unreadable);
    const auto script = std::ranges::find(read.findings, "Script", &ClusterFinding::what);
    ASSERT_NE(script, read.findings.end()) << "Slurm takes what no shell can read";
    EXPECT_EQ(script->verdict, Verdict::Bad);
    EXPECT_THAT(script->found, HasSubstr("syntax error"));

    auto large = fits.sweep;
    large.resources.cpusPerRank = 64;
    try {
        throwIfInvalid(checkOffline(large, 1, s_profile, &cluster.facts()));
        FAIL() << "64 CPUs on a node of two";
    } catch (const InputError& error) {
        EXPECT_THAT(error.full(), HasSubstr("Ask for 2 CPUs per rank"));
    }
}

}  // namespace
}  // namespace dailies::remote
