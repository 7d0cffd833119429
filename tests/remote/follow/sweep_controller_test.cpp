#include "remote/follow/sweep_controller.h"

#include "core/base/text.h"
#include "core/judging/judgement_records.h"
#include "remote/cluster/sweep_runs.h"
#include "remote/follow/run_state.h"
#include "tests/remote/cluster/sandbox_fixture.h"

#include <gmock/gmock.h>

#include <csignal>
#include <random>
#include <sys/wait.h>
#include <unistd.h>

namespace dailies::remote {
namespace {

using testing::HasSubstr;
using tracking::RunStatus;
namespace tag = tracking::tag;

/// Tells the trainer's stand-in its seed and rate, and ends it as the trainer ends when it is asked to.
constexpr const char* kPrelude = R"sh(
seed=$(sed -nE 's/^ *"seed": ([0-9]+).*/\1/p' "$3" | head -n 1)
lr=$(sed -nE 's/^ *"lr": ([0-9.e-]+).*/\1/p' "$3" | head -n 1)
trap 'emit "\"type\":\"end\",\"status\":\"stopped\",\"step\":10,\"reason\":\"Asked to stop.\""; kill $!; exit 0' USR1
# Slurm signals every process of the step: a sleep that died of it first would look like one that is over. The
# step goes on while it sleeps, so the trap ends it.
nap() { (trap '' USR1; exec sleep "$1") & wait $!; }
)sh";

class DecidingSweep : public SandboxTest {
protected:
    LaunchPlan planOf(const Cluster& cluster, const std::string& yaml) const {
        return planLaunch(
            sweep::parseSweep(yaml + "resources: {parallel_runs: " + std::to_string(m_parallel) +
                                  ", memory: 400M, time_limit: \"0:10:00\"}\n",
                              "test.yaml"),
            s_profile, cluster.workspace(), {"test", (m_files.path() / "trainer").string()});
    }

    std::vector<tracking::Run> runsOf(const LaunchPlan& plan) const {
        std::vector<tracking::Run> runs;
        for (const auto& entry : sweepRuns(m_store, plan.sweepId)) runs.push_back(entry.run);
        return runs;
    }

    /// How many jobs Slurm has seen under these words of a comment.
    static std::size_t jobsOf(Cluster& cluster, const std::string& comment) {
        const auto result =
            cluster.session().run("squeue -h -t all -o '%F %k' | sort -u | grep -c " + comment + "\n");
        return std::stoul(result.out);
    }

    /// How often a run was begun, by the job script's own marks.
    static std::size_t beginnings(Cluster& cluster, const std::string& runId) {
        const auto result =
            cluster.session().run("grep -c ^start " + cluster.runFolder(runId) + "/attempts.tsv\n");
        return std::stoul("0" + std::string(trim(result.out)));
    }

    int m_parallel = 2;
};

constexpr const char* kAsha =
    "metric: {name: loss, goal: minimize}\nearly_terminate: {type: asha, min_iter: 10, eta: 2}\n"
    "parameters: {seed: {values: [0, 1, 2, 3, 4, 5]}}\nconfig: {steps: 100}\n";

TEST_F(DecidingSweep, EarlyStoppingEndsTheWeakRunsWithACheckpointAndFreesTheirPlaces) {
    trainer(std::string(kPrelude) +
            "metric 10 0.$((seed + 1))\n[ \"$seed\" -lt 2 ] && nap 2 || nap 60\nmetric 100 0.1\nfinish");
    Cluster cluster = connect();
    const auto sent = planOf(cluster, kAsha);
    launch(cluster, sent, m_store);
    const auto begun = std::chrono::steady_clock::now();
    Follower follower(cluster, m_store, mirror());
    followToTheEnd(follower);
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(50))
        << "no weak run slept to its end";
    const auto runs = runsOf(sent);
    ASSERT_EQ(runs.size(), 6u);
    EXPECT_EQ(runs[0].status, RunStatus::Finished);
    EXPECT_EQ(tagOf(runs[0], tag::kReason), "");
    for (std::size_t i = 2; i < 6; ++i) {
        EXPECT_EQ(runs[i].status, RunStatus::Killed) << runs[i].name;
        EXPECT_THAT(tagOf(runs[i], tag::kReason), HasSubstr("Stopped early at step 10: its loss 0."));
        EXPECT_EQ(tagOf(runs[i], tag::kStoppedRung), "10");
        EXPECT_EQ(tagOf(runs[i], tag::kSlurmState), "COMPLETED") << "it ended by itself, with its checkpoint";
    }
}

TEST_F(DecidingSweep, ADecisionThatNobodyCarriedOutIsCarriedOutByTheNextAndNotTakenTwice) {
    trainer(std::string(kPrelude) + "metric 10 0.$((seed + 1))\nnap 5\nmetric 100 0.1\nfinish");
    Cluster cluster = connect();
    const auto sent = planOf(cluster, kAsha);
    launch(cluster, sent, m_store);
    m_store.setTag(sent.runIds[1], tag::kStoppedRung, "10");
    m_store.setTag(sent.runIds[1], tag::kStoppedWhy, "Stopped early at step 10: decided before a crash.");
    Follower follower(cluster, m_store, mirror());
    followToTheEnd(follower);
    EXPECT_EQ(runOf(sent, 1).status, RunStatus::Killed);
    EXPECT_EQ(tagOf(runOf(sent, 1), tag::kReason), "Stopped early at step 10: decided before a crash.");
    Follower later(cluster, m_store, mirror());
    EXPECT_EQ(later.pollOnce().changedRuns.size(), 0u) << "a later client has nothing left to decide";
}

TEST_F(DecidingSweep, ARunThatCannotHearIsCancelled) {
    trainer("finish");
    Cluster cluster = connect();
    auto sent = planOf(cluster,
                       "metric: {name: loss}\nearly_terminate: {type: asha, min_iter: 10}\n"
                       "parameters: {seed: {values: [0]}}\n");
    // a job that waits, as one does that was requeued, has no script that could hear
    sent.script.insert(sent.script.find("#SBATCH"), "#SBATCH --hold\n");
    launch(cluster, sent, m_store);
    m_store.setTag(sent.runIds[0], tag::kStoppedWhy, "Stopped early at step 10: for the test.");
    Follower follower(cluster, m_store, mirror());
    followToTheEnd(follower);
    EXPECT_EQ(runOf(sent).status, RunStatus::Killed);
    EXPECT_EQ(tagOf(runOf(sent), tag::kSlurmState), "CANCELLED");
    EXPECT_THAT(tagOf(runOf(sent), tag::kReason), HasSubstr("for the test"));
}

constexpr const char* kBayes =
    "method: bayes\nrun_cap: 14\nmetric: {name: loss, goal: minimize}\n"
    "parameters: {optimizer.lr: {distribution: log_uniform_values, min: 1e-5, max: 1e-1}}\n";
constexpr const char* kLossOfRate =
    "metric 10 $(awk -v lr=$lr 'BEGIN { d = log(lr) / log(10) + 3; print d * d }')\nfinish";

TEST_F(DecidingSweep, AnAdaptiveSweepFollowsWhatPeopleThinkOfTheClipsOfRunsThatHaveEnded) {
    m_parallel = 4;
    trainer(std::string(kPrelude) +
            "emit "
            "'\"type\":\"clip\",\"step\":9,\"prompt\":\"cat\",\"seed\":1,\"path\":\"clips/a.mp4\","
            "\"frames\":2,\"height\":32,\"width\":32,\"fps\":8'\nfinish");
    Cluster cluster = connect();
    const auto sent =
        planOf(cluster,
               "method: bayes\nrun_cap: 14\nmetric: {name: review/rating, goal: maximize}\n"
               "parameters: {optimizer.lr: {distribution: log_uniform_values, min: 1e-5, max: 1e-1}}\n");
    launch(cluster, sent, m_store);
    Follower follower(cluster, m_store, mirror());
    std::set<std::string> judged;
    follow(follower, [&](const FollowReport& report) {
        // a person who looks at clips a moment after the run has ended, and likes a rate of 0.001
        for (const auto& run : runsOf(sent)) {
            if (run.status != RunStatus::Finished || !judged.insert(run.id).second) continue;
            const double off = std::abs(std::log10(std::stod(run.params.at("optimizer.lr"))) + 3);
            const int stars = off < 0.5 ? 5 : off < 1 ? 3 : 1;
            judging::record(m_store, {{run.id, "clips/a.mp4"}, "ana", 1, judging::Stars{stars}});
        }
        return report.activeRuns == 0 && report.remainingRuns == 0;
    });
    const auto runs = runsOf(sent);
    ASSERT_EQ(runs.size(), 14u);
    for (std::size_t i = 10; i < runs.size(); ++i) {
        EXPECT_THAT(tagOf(runs[i], tag::kProposal), HasSubstr("Based on the results of"));
        EXPECT_THAT(tagOf(runs[i], tag::kProposal), HasSubstr("with review/rating 5."));
    }
}

TEST_F(DecidingSweep, AnAdaptiveSweepProposesItsLaterRunsFromTheResults) {
    m_parallel = 4;
    trainer(std::string(kPrelude) + kLossOfRate);
    Cluster cluster = connect();
    const auto sent = planOf(cluster, kBayes);
    ASSERT_EQ(sent.runs.size(), 10u) << "what is sent at once";
    launch(cluster, sent, m_store);
    Follower follower(cluster, m_store, mirror());
    int most = 0;
    follow(follower, [&](const FollowReport& report) {
        most = std::max(most, report.activeRuns);
        return report.activeRuns == 0 && report.remainingRuns == 0;
    });
    const auto runs = runsOf(sent);
    ASSERT_EQ(runs.size(), 14u);
    EXPECT_LE(most, 10);
    std::set<std::string> names;
    for (const auto& run : runs) {
        EXPECT_EQ(run.status, RunStatus::Finished) << run.name << tagOf(run, tag::kReason);
        EXPECT_EQ(beginnings(cluster, run.id), 1u);
        names.insert(run.name);
    }
    EXPECT_EQ(names.size(), 14u);
    EXPECT_THAT(tagOf(runs[13], tag::kProposal), HasSubstr("the best so far is lr="));
    EXPECT_EQ(jobsOf(cluster, sent.sweepId), 5u) << "the first array and one job for each later run";
}

TEST_F(DecidingSweep, AProposalThatASilentControllerDidNotHearIsSubmittedOnceWhenItIsBack) {
    trainer(std::string(kPrelude) + kLossOfRate);
    Cluster cluster = connect();
    const auto sent = planOf(cluster, kBayes);
    launch(cluster, sent, m_store);
    for (const auto& id : sent.runIds) m_store.setStatus(id, RunStatus::Finished, 1);
    ASSERT_NO_FATAL_FAILURE(stopController(cluster));
    SweepController controller(cluster, m_store);
    const auto unheard = controller.runOnce();
    auto runs = runsOf(sent);
    ASSERT_EQ(runs.size(), 12u) << "as many as may run at once were proposed";
    EXPECT_EQ(runs[10].status, RunStatus::Scheduled)
        << "it has not failed: " << tagOf(runs[10], tag::kReason);
    EXPECT_THAT(unheard.notes, testing::Contains(HasSubstr("once slurmctld answers")));
    EXPECT_TRUE(controller.runOnce().notes.empty()) << "it is said once";
    ASSERT_NO_FATAL_FAILURE(startController(cluster));
    controller.runOnce();
    controller.runOnce();
    runs = runsOf(sent);
    for (std::size_t i : {10u, 11u}) {
        EXPECT_NE(tagOf(runs[i], tag::kJob), "");
        EXPECT_EQ(jobsOf(cluster, tagOf(runs[i], tag::kSubmission)), 1u);
    }
}

TEST_F(DecidingSweep, ASweepWhoseRunsAreAllCancelledProposesNoMore) {
    trainer("nap() { sleep 60; }\nmetric 10 0.5\nnap");
    Cluster cluster = connect();
    const auto sent = planOf(cluster, kBayes);
    launch(cluster, sent, m_store);
    // one of them costs only itself
    cancelRuns(cluster, m_store, {sent.runIds[0]}, true);
    Follower follower(cluster, m_store, mirror());
    follow(follower, [&](const FollowReport&) { return runOf(sent, 0).status == RunStatus::Killed; });
    const std::vector<std::string> others(sent.runIds.begin() + 1, sent.runIds.end());
    cancelRuns(cluster, m_store, others, true);
    follow(follower,
           [&](const FollowReport& report) { return report.activeRuns == 0 && report.remainingRuns == 0; });
    EXPECT_EQ(runsOf(sent).size(), 10u) << "it went on proposing";
    for (const auto& run : runsOf(sent)) EXPECT_EQ(run.status, RunStatus::Killed) << run.name;
}

TEST_F(DecidingSweep, ClientsKilledAtAnyMomentLoseNoRunAndSubmitNoneTwice) {
    m_parallel = 3;
    trainer(std::string(kPrelude) + kLossOfRate);
    Cluster cluster = connect();
    const auto sent = planOf(cluster, kBayes);
    launch(cluster, sent, m_store);
    std::mt19937 random(7);
    bool done = false;
    int killed = 0;
    for (int round = 0; round < 40 && !done; ++round) {
        int rounds[2];  // a byte for each of the child's, so that a slow machine does not end it before it
                        // acted
        ASSERT_EQ(::pipe(rounds), 0);
        const pid_t child = ::fork();
        if (child == 0) {
            ::close(rounds[0]);
            Cluster own = connect();
            tracking::Store store(m_store.file());
            Follower follower(own, store, mirror());
            for (;;) {
                const auto report = follower.pollOnce();
                if (report.activeRuns == 0 && report.remainingRuns == 0) ::_exit(0);
                if (::write(rounds[1], "!", 1) != 1) ::_exit(1);
            }
        }
        ::close(rounds[1]);
        char byte = 0;
        for (std::size_t left = 1 + random() % 3; left > 0 && ::read(rounds[0], &byte, 1) == 1;) --left;
        ::usleep(random() % 700'000);
        ::kill(child, SIGKILL);
        ::close(rounds[0]);
        int status = 0;
        ::waitpid(child, &status, 0);
        done = WIFEXITED(status) && WEXITSTATUS(status) == 0;
        killed += !done;
    }
    ASSERT_TRUE(done) << "the sweep did not end";
    EXPECT_GT(killed, 2);
    const auto runs = runsOf(sent);
    ASSERT_EQ(runs.size(), 14u);
    for (const auto& run : runs) {
        EXPECT_EQ(run.status, RunStatus::Finished) << run.name << " " << tagOf(run, tag::kReason);
        EXPECT_EQ(beginnings(cluster, run.id), 1u) << run.name;
        EXPECT_EQ(m_store.history(run.id, "loss").size(), 1u) << run.name;
    }
}

TEST_F(DecidingSweep, TwoClientsAtOnceMakeNoMoreRunsThanOne) {
    m_parallel = 4;
    trainer(std::string(kPrelude) + kLossOfRate);
    Cluster cluster = connect(), second = connect();
    const auto sent = planOf(cluster, kBayes);
    launch(cluster, sent, m_store);
    tracking::Store secondStore(m_store.file());
    Follower one(cluster, m_store, mirror()), two(second, secondStore, mirror());
    std::jthread other([&](std::stop_token stop) {
        while (!stop.stop_requested()) two.pollOnce();
    });
    follow(one,
           [](const FollowReport& report) { return report.activeRuns == 0 && report.remainingRuns == 0; });
    other.request_stop();
    other.join();
    const auto runs = runsOf(sent);
    ASSERT_EQ(runs.size(), 14u);
    for (const auto& run : runs) {
        EXPECT_EQ(run.status, RunStatus::Finished) << run.name << " " << tagOf(run, tag::kReason);
        EXPECT_EQ(beginnings(cluster, run.id), 1u) << run.name;
    }
}

TEST_F(DecidingSweep, ACancelledSweepProposesNothingMore) {
    m_parallel = 2;
    trainer(std::string(kPrelude) + "nap 30\nfinish");
    Cluster cluster = connect();
    const auto sent = planOf(cluster, kBayes);
    launch(cluster, sent, m_store);
    Follower follower(cluster, m_store, mirror());
    follower.pollOnce();
    cancelSweep(cluster, m_store, sent.sweepId);
    follow(follower,
           [](const FollowReport& report) { return report.activeRuns == 0 && report.remainingRuns == 0; });
    EXPECT_EQ(runsOf(sent).size(), 10u);
}

TEST_F(DecidingSweep, WhatBreaksEveryRunEndsTheProposals) {
    m_parallel = 4;
    trainer("echo broken >&2; exit 3");
    Cluster cluster = connect();
    const auto sent = planOf(cluster, kBayes);
    launch(cluster, sent, m_store);
    Follower follower(cluster, m_store, mirror());
    std::vector<alerts::Alert> alerts;
    follow(follower, [&](const FollowReport& report) {
        alerts.insert(alerts.end(), report.alerts.begin(), report.alerts.end());
        return !alerts.empty() && report.remainingRuns == 0;
    });
    ASSERT_EQ(alerts.size(), 1u) << "nor is what it began with, which is held";
    EXPECT_THAT(alerts[0].text, HasSubstr("broken"));
    const auto runs = runsOf(sent);
    EXPECT_LT(runs.size(), 14u) << "not every run of the cap is spent on it";
    EXPECT_TRUE(
        std::ranges::any_of(runs, [](const auto& run) { return run.status == RunStatus::Scheduled; }));
}

TEST_F(DecidingSweep, ALaterRunThatCannotFitIsRefusedAsALaunchRefusesItAndTheSweepGoesOn) {
    m_parallel = 4;
    trainer(std::string(kPrelude) +
            "depth=$(sed -nE 's/^ *\"depth\": ([0-9]+).*/\\1/p' \"$3\" | head -n 1)\n"
            "metric 10 $([ $depth = 2 ] && echo 0.9 || echo 0.1)\nfinish");
    Cluster cluster = connect();
    // the deep ones of the first ten do well, so deep ones are proposed; no launch would have sent them
    const auto sent = planOf(cluster,
                             "method: bayes\nrun_cap: 14\nmetric: {name: loss, goal: minimize}\n"
                             "parameters:\n  model.depth: {values: [2, 256]}\n  seed: {min: 1, max: 1000}\n");
    launch(cluster, sent, m_store);
    Follower follower(cluster, m_store, mirror());
    follow(follower,
           [](const FollowReport& report) { return report.activeRuns == 0 && report.remainingRuns == 0; });
    const auto runs = runsOf(sent);
    EXPECT_EQ(runs.size(), 14u) << "refused ones do not end the sweep";
    std::size_t refused = 0;
    for (std::size_t i = sent.runs.size(); i < runs.size(); ++i) {
        const bool deep = runs[i].params.at("model.depth") == "256";
        EXPECT_EQ(runs[i].status, deep ? RunStatus::Failed : RunStatus::Finished) << runs[i].name;
        EXPECT_EQ(tagOf(runs[i], tag::kRefused), deep ? "memory" : "");
        if (!deep) continue;
        ++refused;
        EXPECT_THAT(tagOf(runs[i], tag::kReason),
                    testing::AllOf(HasSubstr("This does not fit. Each rank needs"), HasSubstr("too little"),
                                   HasSubstr("resources.memory")));
        EXPECT_EQ(tagOf(runs[i], tag::kJob), "");
        EXPECT_EQ(beginnings(cluster, runs[i].id), 0u);
    }
    EXPECT_GT(refused, 0u);
}

}  // namespace
}  // namespace dailies::remote
