#include "core/base/text.h"
#include "remote/follow/log_mirror.h"
#include "remote/ssh/session_error.h"
#include "tests/remote/cluster/sandbox_fixture.h"

#include <gmock/gmock.h>

namespace dailies::remote {
namespace {

using testing::HasSubstr;
using tracking::RunStatus;
namespace fs = std::filesystem;
namespace tag = tracking::tag;

/// Shell lines that announce a clip whose file is a copy of `file`.
std::string clip(const fs::path& file) {
    return "mkdir -p \"$run/clips/step-000000001\"\ncp " + shellQuote(file.string()) +
           " \"$run/clips/step-000000001/red-1.mp4\"\nemit "
           "'\"type\":\"clip\",\"step\":1,\"prompt\":\"red\",\"seed\":1,"
           "\"path\":\"clips/step-000000001/red-1.mp4\",\"frames\":2,\"height\":32,\"width\":32,\"fps\":8'\n";
}

class Following : public SandboxTest {
protected:
    fs::path realClip() const {
        video::Frame frame{32, 32, std::vector<std::uint8_t>(32 * 32 * 3, 200)};
        return video::writeClip(m_files.path() / "clip.mp4", {frame, frame}, {});
    }
    static bool isRunning(const tracking::Run& run) { return run.status == RunStatus::Running; }
};

TEST_F(Following, FourRunsArriveWithAllTheirPointsAndClips) {
    trainer("for i in 1 2 3 4 5; do metric $i 0.$i; done\n" + clip(realClip()) + "echo done with it\nfinish");
    Cluster cluster = connect();
    const LaunchPlan sent = plan(cluster, 4);
    const std::string job = launch(cluster, sent, m_store);
    Follower follower(cluster, m_store, mirror());
    followToTheEnd(follower);
    EXPECT_EQ(m_newEvents, 4 * 8);
    for (std::size_t i = 0; i < 4; ++i) {
        tracking::Run run = runOf(sent, i);
        EXPECT_EQ(run.status, RunStatus::Finished);
        EXPECT_EQ(run.tags[tag::kJob], job + "_" + std::to_string(i));
        EXPECT_EQ(run.tags[tag::kSlurmState], "COMPLETED");
        EXPECT_EQ(run.params["seed"], std::to_string(i));
        EXPECT_EQ(m_store.history(run.id, "loss").size(), 5u);
        const auto attempts = m_store.attempts(run.id);
        ASSERT_EQ(attempts.size(), 1u);
        EXPECT_EQ(attempts[0].exitCode, "0:0");
        EXPECT_GT(attempts[0].endMs, 0);
        std::int64_t offset = -1;
        EXPECT_THAT(readLog(cluster, m_store, run.id, offset), HasSubstr("done with it\n"));
        EXPECT_EQ(readLog(cluster, m_store, run.id, offset), "");
    }
    const auto clips = m_store.clips(sent.runIds);
    ASSERT_EQ(clips.size(), 4u);
    for (const auto& entry : clips)
        EXPECT_EQ(entry.localPath, (mirror() / entry.runId / entry.path).string());
    EXPECT_EQ(readFile(clips[0].localPath), readFile(m_files.path() / "clip.mp4"));
    EXPECT_EQ(follower.pollOnce().newEvents, 0);

    fs::remove_all(mirror());
    EXPECT_EQ(pullRun(cluster, m_store, mirror(), sent.runIds[0], PullScope::Clips), 1);
    EXPECT_EQ(pullRun(cluster, m_store, mirror(), sent.runIds[0], PullScope::Clips), 0)
        << "what is here is not copied again";
    EXPECT_GE(pullRun(cluster, m_store, mirror(), sent.runIds[0], PullScope::All), 4);
    EXPECT_TRUE(fs::exists(mirror() / sent.runIds[0] / "config.json"));
}

TEST_F(Following, WhatSlurmWroteBeforeTheJobScriptRanIsLookedForWhereItsScriptLies) {
    Cluster cluster = connect();
    tracking::Run first, later;
    first.id = std::string(32, 'a');
    first.tags[tag::kSweep] = "0123456789abcdef";
    later = first;
    later.id = std::string(32, 'b');
    later.tags[tag::kSubmission] = "0123456789abcdef.7";
    const auto write = [&](const std::string& file, const std::string& text) {
        cluster.session().run("mkdir -p " + shellQuote(fs::path(file).parent_path().string()) + "\necho " +
                              text + " > " + shellQuote(file) + "\n");
    };
    write(cluster.sweepFolder("0123456789abcdef") + "/slurm-5_0.out", "of the array");
    write(cluster.sweepFolder("0123456789abcdef.7") + "/slurm-6_0.out", "of its own job");
    const auto text = [&](const tracking::Run& run, const std::string& job) {
        return readFile(mirrorLog(cluster, mirror(), run, job).file);
    };
    EXPECT_EQ(text(first, "5_0"), "of the array\n");
    EXPECT_EQ(text(later, "6_0"), "of its own job\n");
    write(cluster.runFolder(later.id) + "/logs/6_0.out", "of the trainer, which has written more");
    EXPECT_EQ(remoteLog(cluster, later, "6_0"), cluster.runFolder(later.id) + "/logs/6_0.out");
}

TEST_F(Following, ScancelFromOutsideAndOurOwnCancelKillTheRun) {
    trainer("metric 1 0.5\nexec sleep 120");
    Cluster cluster = connect();
    const LaunchPlan sent = plan(cluster, 2);
    const std::string job = launch(cluster, sent, m_store);
    Follower follower(cluster, m_store, mirror());
    follow(follower, [&](auto&) {
        return !m_store.history(sent.runIds[0], "loss").empty() &&
               !m_store.history(sent.runIds[1], "loss").empty();
    });
    cancelRuns(cluster, m_store, {sent.runIds[0]}, false);
    cluster.session().run("scancel " + job + "_1\n");
    followToTheEnd(follower);
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(runOf(sent, i).status, RunStatus::Killed);
        EXPECT_EQ(runOf(sent, i).tags[tag::kSlurmState], "CANCELLED");
        EXPECT_THAT(runOf(sent, i).tags[tag::kReason], HasSubstr("It was cancelled."));
        EXPECT_EQ(m_store.history(sent.runIds[i], "loss").size(), 1u);
    }
    EXPECT_NO_THROW(cancelSweep(cluster, m_store, sent.sweepId)) << "what has ended is no error";
}

TEST_F(Following, ACancelledRunThatSlurmStartsAgainIsCancelledAgain) {
    trainer("metric 1 0.5\nexec sleep 120");
    Cluster cluster = connect();
    const LaunchPlan sent = plan(cluster, 1);
    const std::string job = launch(cluster, sent, m_store) + "_0";
    Follower follower(cluster, m_store, mirror());
    follow(follower, [&](auto&) { return !m_store.history(sent.runIds[0], "loss").empty(); });
    cancelRuns(cluster, m_store, {sent.runIds[0]}, false);
    cluster.session().run("scontrol requeue " + job + "\n");
    followToTheEnd(follower);
    EXPECT_EQ(runOf(sent).status, RunStatus::Killed);
    EXPECT_EQ(runOf(sent).tags[tag::kSlurmState], "CANCELLED");
}

TEST_F(Following, RunsThatAreCancelledWhileTheyWaitAreCancelledAndNotLost) {
    trainer("finish");
    Cluster cluster = connect();
    LaunchPlan sent = plan(cluster, 4);
    sent.script.insert(sent.script.find("#SBATCH"), "#SBATCH --hold\n");
    const std::string job = launch(cluster, sent, m_store);
    Follower follower(cluster, m_store, mirror());
    follower.pollOnce();
    EXPECT_EQ(runOf(sent).tags[tag::kReason],
              "Held by its user. Release it in the queue of the Cluster page.");
    cancelRuns(cluster, m_store, {sent.runIds[0]}, false);
    cluster.session().run("scancel " + job + "_1\n");  // Slurm forgets these two at once
    follow(follower, [&](const FollowReport& report) { return report.activeRuns == 2; });
    cancelSweep(cluster, m_store, sent.sweepId);
    followToTheEnd(follower);
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(runOf(sent, i).status, RunStatus::Killed) << i;
        EXPECT_EQ(runOf(sent, i).tags[tag::kSlurmState], "CANCELLED") << i;
        EXPECT_TRUE(m_store.messages(sent.runIds[i]).empty()) << "nothing went wrong";
    }
    EXPECT_EQ(runOf(sent, 0).tags[tag::kReason], "It was cancelled before it started.");
    EXPECT_EQ(runOf(sent, 1).tags[tag::kReason], "It was taken out of Slurm's queue before it started.");
    EXPECT_EQ(runOf(sent, 2).tags[tag::kReason], "It was cancelled before it started.");
}

TEST_F(Following, ARunWhoseTrainerDiesWithoutAWordFails) {
    trainer("metric 1 0.5\nif [ $task = 0 ]; then exit 0; else echo no such data >&2; exit 3; fi");
    Cluster cluster = connect();
    const LaunchPlan sent = plan(cluster, 2);
    launch(cluster, sent, m_store);
    Follower follower(cluster, m_store, mirror());
    followToTheEnd(follower);
    EXPECT_EQ(runOf(sent, 0).status, RunStatus::Failed);
    EXPECT_THAT(runOf(sent, 0).tags[tag::kReason], HasSubstr("without finishing"));
    EXPECT_EQ(runOf(sent, 1).status, RunStatus::Failed);
    EXPECT_THAT(runOf(sent, 1).tags[tag::kReason], HasSubstr("exit code 3"));
    EXPECT_EQ(m_store.attempts(sent.runIds[1]).at(0).exitCode, "3:0");
}

TEST_F(Following, AConnectionThatBreaksWhileEventsStreamLosesAndDoublesNone) {
    trainer("for i in $(seq 1 60); do metric $i 0.5; sleep 0.05; done\nfinish");
    std::optional<LaunchPlan> sent;
    int before = 0;
    {
        Cluster cluster = connect();
        sent = plan(cluster, 2);
        launch(cluster, *sent, m_store);
        Follower follower(cluster, m_store, mirror());
        follow(follower, [&](auto&) { return m_newEvents > 10; });
        before = m_newEvents;
        EXPECT_THROW(cluster.session().run("kill -9 $PPID\nsleep 5\n"), ssh::SessionError);
        EXPECT_THROW(follower.pollOnce(), ssh::SessionError);
    }
    Cluster again = connect();
    Follower follower(again, m_store, mirror());
    followToTheEnd(follower);
    EXPECT_LT(before, 2 * 62);
    EXPECT_EQ(m_newEvents, 2 * 62);
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(runOf(*sent, i).status, RunStatus::Finished);
        EXPECT_EQ(m_store.history(sent->runIds[i], "loss").size(), 60u);
    }
}

TEST_F(Following, ARequeuedRunGoesOnInAFurtherAttempt) {
    trainer(
        "if [ $restarts = 0 ]; then metric 1 0.5; metric 2 0.4; exec sleep 120; fi\n"
        "emit '\"type\":\"resume\",\"from_step\":1'\nmetric 2 0.3\nfinish");
    Cluster cluster = connect();
    const LaunchPlan sent = plan(cluster);
    const std::string job = launch(cluster, sent, m_store);
    Follower follower(cluster, m_store, mirror());
    follow(follower, [&](auto&) { return m_store.history(sent.runIds[0], "loss").size() == 2; });
    cluster.session().run("scontrol requeue " + job + "_0\n");
    follow(follower, [&](auto&) { return runOf(sent).status == RunStatus::Scheduled; });
    EXPECT_EQ(m_store.attempts(sent.runIds[0]).at(0).state, "REQUEUED");
    // Slurm holds the job back until its revoked credential has expired (cred_expire). A start forced before
    // that is at times refused by the node, and the job fails.
    followToTheEnd(follower, 100);
    EXPECT_EQ(runOf(sent).status, RunStatus::Finished);
    const auto points = m_store.history(sent.runIds[0], "loss");
    ASSERT_EQ(points.size(), 2u);
    EXPECT_EQ(points[1].value, 0.3) << "the first attempt's step 2 is void";
    const auto attempts = m_store.attempts(sent.runIds[0]);
    ASSERT_EQ(attempts.size(), 2u);
    EXPECT_EQ(attempts[0].state, "REQUEUED");
    EXPECT_EQ(attempts[1].restarts, 1);
    EXPECT_EQ(attempts[1].state, "COMPLETED");
}

TEST_F(Following, ATornLineIsReadOnceItIsWhole) {
    trainer(
        "metric 1 0.5\nprintf '{\"seq\":3,\"attempt\":1,\"time\":1,\"type\":\"metr' >>\"$events\"\nsleep 2\n"
        "printf 'ics\",\"step\":2,\"values\":{\"loss\":0.25}}\\n' >>\"$events\"\nfinish");
    Cluster cluster = connect();
    const LaunchPlan sent = plan(cluster);
    launch(cluster, sent, m_store);
    Follower follower(cluster, m_store, mirror());
    follow(follower, [&](auto&) { return m_newEvents == 2; });
    EXPECT_EQ(m_store.history(sent.runIds[0], "loss").size(), 1u);
    followToTheEnd(follower);
    EXPECT_EQ(m_newEvents, 4);
    EXPECT_EQ(m_store.history(sent.runIds[0], "loss").size(), 2u);
}

TEST_F(Following, ADamagedAMissingAndAnEscapingClipAreMessagesAndNoStop) {
    writeFileAtomically(m_files.path() / "broken", std::string(4000, 'x'));
    trainer(clip(m_files.path() / "broken") +
            "emit "
            "'\"type\":\"clip\",\"step\":2,\"prompt\":\"p\",\"seed\":1,\"path\":\"clips/"
            "none.mp4\",\"frames\":1,\"height\":2,\"width\":2,\"fps\":8'\n"
            "emit "
            "'\"type\":\"clip\",\"step\":3,\"prompt\":\"p\",\"seed\":1,\"path\":\"clips/../../../../"
            "x.mp4\",\"frames\":1,\"height\":2,\"width\":2,\"fps\":8'\n"
            "metric 3 0.5\nfinish");
    Cluster cluster = connect();
    const LaunchPlan sent = plan(cluster);
    launch(cluster, sent, m_store);
    Follower follower(cluster, m_store, mirror());
    followToTheEnd(follower);
    for (int round = 0; round < 4; ++round) follower.pollOnce();
    EXPECT_EQ(runOf(sent).status, RunStatus::Finished);
    std::vector<std::string> texts;
    for (const auto& message : m_store.messages(sent.runIds[0])) texts.push_back(message.text);
    EXPECT_THAT(texts, testing::IsSupersetOf(
                           {testing::Matcher<std::string>(HasSubstr("red-1.mp4 cannot be shown")),
                            testing::Matcher<std::string>(HasSubstr("missing on the cluster")),
                            testing::Matcher<std::string>(HasSubstr("not the name of a clip in the run"))}));
    for (const auto& entry : m_store.clips(sent.runIds)) EXPECT_EQ(entry.localPath, "");
    EXPECT_FALSE(fs::exists(mirror() / sent.runIds[0] / "clips/step-000000001/red-1.mp4"));
}

/// A suite of its own, because its cluster is of no use afterwards.
class WithoutController : public Following {};

TEST_F(WithoutController, EventsGoOnArrivingAndTheMessageSaysWhatIsDown) {
    trainer("for i in $(seq 1 100); do metric $i 0.5; sleep 0.1; done\nfinish");
    Cluster cluster = connect();
    const LaunchPlan sent = plan(cluster);
    launch(cluster, sent, m_store);
    Follower follower(cluster, m_store, mirror());
    const auto points = [&] { return m_store.history(sent.runIds[0], "loss").size(); };
    follow(follower, [&](auto&) { return points() > 0; });  // a job runs before its trainer has written any
    ASSERT_TRUE(
        cluster.session()
            .run("scontrol shutdown slurmctld; while scontrol ping | grep -q UP; do sleep 0.1; done\n")
            .ok());
    const auto before = points();
    std::this_thread::sleep_for(std::chrono::seconds(1));
    try {
        follower.pollOnce();
        FAIL() << "Slurm cannot have been asked";
    } catch (const Error& error) {
        EXPECT_THAT(error.remedy(), HasSubstr("slurmctld does not answer"));
    }
    EXPECT_GT(points(), before);
    EXPECT_TRUE(isRunning(runOf(sent))) << "nothing is concluded from silence";
    EXPECT_THROW(connect(), Error);
}

TEST_F(Following, MemoryThatRunsOutIsNamed) {
    trainer("metric 1 0.5\nexec python3 -c 'import time\nkept = bytearray(400 << 20)\ntime.sleep(60)'");
    Cluster cluster = connect();
    const LaunchPlan sent = plan(cluster);
    launch(cluster, sent, m_store);
    Follower follower(cluster, m_store, mirror());
    followToTheEnd(follower);
    EXPECT_FALSE(tracking::isActive(runOf(sent).status));
    EXPECT_NE(runOf(sent).status, RunStatus::Finished);
    EXPECT_THAT(runOf(sent).tags[tag::kReason], testing::ContainsRegex("[Mm]emory"));
}

}  // namespace
}  // namespace dailies::remote
