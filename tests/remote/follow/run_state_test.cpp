#include "remote/follow/run_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace dailies::remote {
namespace {

using testing::HasSubstr;
using tracking::RunStatus;

slurm::JobStatus job(const std::string& state, const std::string& reason = "") {
    slurm::JobStatus status;
    status.job = "12_0";
    status.state = state;
    status.reason = reason;
    return status;
}

RunObservation observation(RunStatus status, std::optional<slurm::JobStatus> slurm) {
    RunObservation e;
    e.status = status;
    e.slurm = std::move(slurm);
    return e;
}

TEST(AttemptsFile, GivesTheAttemptsInOrder) {
    const auto marks = parseAttempts(
        "start\t12_0\t0\tnode1\t100\t\nend\t12_0\t0\tnode1\t160\t0\nstart\t12_0\t1\tnode2\t300\t\n");
    ASSERT_EQ(marks.size(), 2u);
    EXPECT_EQ(marks[0].endTime, 160);
    EXPECT_EQ(marks[1].host, "node2");
    EXPECT_EQ(marks[1].endTime, 0);
}

TEST(AttemptsFile, SkipsTornAndForeignLines) {
    const auto marks = parseAttempts(
        "start\t12_0\t0\tn\t100\t\n\x01\x02garbage\nend\t99_9\t0\tn\t101\t0\nend\t12_0\t0\tn\t1");
    ASSERT_EQ(marks.size(), 1u);
    EXPECT_EQ(marks[0].endTime, 0) << "a torn line is read again later";
}

TEST(RunState, APendingJobIsScheduledWithItsReason) {
    const RunState state = reconcile(observation(RunStatus::Scheduled, job("PENDING", "Resources")));
    EXPECT_EQ(state.status, RunStatus::Scheduled);
    EXPECT_EQ(state.reason, "Waiting for free nodes.");
    EXPECT_FALSE(state.settled);
}

TEST(RunState, AJobThatCompletedWithoutAnEndEventFailedAfterOneMoreRound) {
    RunObservation e = observation(RunStatus::Running, job("COMPLETED"));
    EXPECT_FALSE(reconcile(e).settled) << "its last events may still be on their way";
    e.confirmed = true;
    EXPECT_TRUE(reconcile(e).settled);
    EXPECT_EQ(reconcile(e).status, RunStatus::Failed);
    EXPECT_THAT(reconcile(e).reason, HasSubstr("without finishing"));
}

TEST(RunState, TheScriptsEndMarkSparesTheFurtherRound) {
    RunObservation e = observation(RunStatus::Finished, job("COMPLETED"));
    e.marks = {{"12_0", 0, "n", 100, 160, 0}};
    EXPECT_TRUE(reconcile(e).settled);
    EXPECT_EQ(reconcile(e).status, RunStatus::Finished);
    EXPECT_EQ(reconcile(e).reason, "");
}

TEST(RunState, ARunThatStoppedAndIsRequeuedWaitsAgain) {
    RunObservation e = observation(RunStatus::Killed, job("PENDING", "BeginTime"));
    e.reason = "Stopped by SIGUSR1.";
    e.marks = {{"12_0", 0, "n", 100, 160, 0}};
    EXPECT_EQ(reconcile(e).status, RunStatus::Scheduled);
    const auto attempts = attemptsOf("r", e);
    ASSERT_EQ(attempts.size(), 1u);
    EXPECT_EQ(attempts[0].state, "REQUEUED");
}

TEST(RunState, ARequeuedJobIsAFurtherAttempt) {
    RunObservation e = observation(RunStatus::Running, job("RUNNING"));
    e.slurm->restarts = 1;
    e.marks = {{"12_0", 0, "n1", 100, 160, 0}, {"12_0", 1, "n2", 300, 0, 0}};
    const auto attempts = attemptsOf("r", e);
    ASSERT_EQ(attempts.size(), 2u);
    EXPECT_EQ(attempts[0].state, "REQUEUED");
    EXPECT_EQ(attempts[1].state, "RUNNING");
    EXPECT_EQ(attempts[1].restarts, 1);
}

TEST(RunState, ScancelKillsATimeoutFails) {
    RunObservation e = observation(RunStatus::Running, job("CANCELLED"));
    e.confirmed = true;
    EXPECT_EQ(reconcile(e).status, RunStatus::Killed);
    e.slurm = job("TIMEOUT");
    EXPECT_EQ(reconcile(e).status, RunStatus::Failed);
    EXPECT_THAT(reconcile(e).reason, HasSubstr("time limit"));
    // the trainer could still say that it stopped
    e.status = RunStatus::Killed;
    e.reason = "Stopped by SIGTERM at step 80.";
    EXPECT_EQ(reconcile(e).status, RunStatus::Killed);
    EXPECT_THAT(reconcile(e).reason, testing::AllOf(HasSubstr("time limit"), HasSubstr("step 80")));
    e.reason = reconcile(e).reason;
    EXPECT_EQ(reconcile(e).reason, e.reason) << "judging twice says the same";
}

TEST(RunState, AJobThatSlurmForgotIsSettledByTheScriptsMark) {
    RunObservation e = observation(RunStatus::Running, std::nullopt);
    e.marks = {{"12_0", 0, "n", 100, 160, 3}};
    const RunState state = reconcile(e);
    EXPECT_TRUE(state.settled);
    EXPECT_EQ(state.status, RunStatus::Failed);
    EXPECT_EQ(state.slurmState, "FAILED");
    EXPECT_THAT(state.reason, HasSubstr("exit code 3"));
    EXPECT_EQ(state.endMs, 160'000);
}

TEST(RunState, AJobThatWasPreemptedAndForgottenSaysSoWhateverItsScriptsMark) {
    RunObservation e = observation(RunStatus::Scheduled, std::nullopt);
    e.lastSlurmState = "PREEMPTED";
    for (const int code : {0, 137, 143}) {
        e.marks = {{"12_0", 0, "n", 100, 160, code}};
        EXPECT_EQ(reconcile(e).status, RunStatus::Failed) << code;
        EXPECT_THAT(reconcile(e).reason, HasSubstr("It was preempted and not requeued")) << code;
    }
    e.marks = {{"12_0", 0, "n", 100, 160, 143}, {"12_0", 1, "n", 300, 360, 3}};
    EXPECT_THAT(reconcile(e).reason, HasSubstr("exit code 3")) << "it was put back after all, and failed";
}

TEST(RunState, AJobWithoutAnyTraceIsLost) {
    RunObservation e = observation(RunStatus::Scheduled, std::nullopt);
    EXPECT_FALSE(reconcile(e).settled);
    e.confirmed = true;
    EXPECT_TRUE(reconcile(e).settled);
    EXPECT_EQ(reconcile(e).slurmState, kLost);
    EXPECT_EQ(reconcile(e).status, RunStatus::Failed);
}

TEST(RunState, AJobThatSlurmForgotAndThatSomebodyCancelledIsCancelledAndNotLost) {
    RunObservation e = observation(RunStatus::Scheduled, std::nullopt);
    e.cancelRequested = true;
    EXPECT_FALSE(reconcile(e).settled) << "its events may still be on their way";
    e.confirmed = true;
    EXPECT_EQ(reconcile(e).status, RunStatus::Killed);
    EXPECT_EQ(reconcile(e).slurmState, "CANCELLED");
    EXPECT_EQ(reconcile(e).reason, "It was cancelled before it started.");
    e.marks = {{"12_0", 0, "n", 100, 0, 0}};
    EXPECT_EQ(reconcile(e).reason, "It was cancelled.");
    e.status = RunStatus::Finished;
    EXPECT_EQ(reconcile(e).status, RunStatus::Finished) << "it was there first";
    EXPECT_EQ(reconcile(e).reason, "");
}

TEST(RunState, AJobThatSomebodyCancelledWasCancelledWhateverItWaitedFor) {
    slurm::JobStatus slurm;
    slurm.job = "12_0";
    slurm.state = "CANCELLED";
    slurm.reason = "Dependency";
    RunObservation e = observation(RunStatus::Scheduled, slurm);
    EXPECT_THAT(reconcile(e).reason, HasSubstr("a job it depends on failed"));
    e.cancelRequested = true;
    EXPECT_EQ(reconcile(e).reason, "It was cancelled before it started.");
    EXPECT_EQ(reconcile(e).status, RunStatus::Killed);
}

TEST(RunState, AJobThatVanishesFromTheQueueBeforeItBeganWasTakenOutOfIt) {
    RunObservation e = observation(RunStatus::Scheduled, std::nullopt);
    e.confirmed = true;
    e.recentlyPending = true;
    EXPECT_EQ(reconcile(e).status, RunStatus::Killed);
    EXPECT_EQ(reconcile(e).slurmState, "CANCELLED");
    EXPECT_EQ(reconcile(e).reason, "It was taken out of Slurm's queue before it started.");
    e.marks = {{"12_0", 0, "n", 100, 0, 0}};
    EXPECT_EQ(reconcile(e).slurmState, kLost) << "it had begun, so nobody knows what became of it";
}

TEST(RunState, ARunThatWasStoppedEarlyIsKilledWithTheReasonHoweverItsJobEnded) {
    for (const char* state : {"COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL"})
        for (const auto status : {RunStatus::Running, RunStatus::Killed, RunStatus::Failed}) {
            RunObservation e = observation(status, job(state));
            e.stopReason = "Stopped early at step 400: its loss was too high.";
            e.confirmed = true;
            EXPECT_EQ(reconcile(e).status, RunStatus::Killed) << state;
            EXPECT_EQ(reconcile(e).reason, e.stopReason) << state;
        }
    RunObservation quicker = observation(RunStatus::Finished, job("COMPLETED"));
    quicker.stopReason = "Stopped early at step 400: its loss was too high.";
    quicker.confirmed = true;
    EXPECT_EQ(reconcile(quicker).status, RunStatus::Finished) << "it was there first";
    EXPECT_EQ(reconcile(quicker).reason, "");
    RunObservation running = observation(RunStatus::Running, job("RUNNING"));
    running.stopReason = quicker.stopReason;
    EXPECT_EQ(reconcile(running).status, RunStatus::Running) << "it still writes its checkpoint";
}

TEST(RunState, EveryFinalWordOfSlurmEndsARunThatSaidNothingItself) {
    const std::map<std::string, RunStatus> ends{
        {"COMPLETED", RunStatus::Failed},    {"FAILED", RunStatus::Failed},
        {"TIMEOUT", RunStatus::Failed},      {"OUT_OF_MEMORY", RunStatus::Failed},
        {"NODE_FAIL", RunStatus::Failed},    {"BOOT_FAIL", RunStatus::Failed},
        {"DEADLINE", RunStatus::Failed},     {"CANCELLED", RunStatus::Killed},
        {"REVOKED", RunStatus::Killed},      {"LAUNCH_FAILED", RunStatus::Failed},
        {"RECONFIG_FAIL", RunStatus::Failed}};
    for (const auto& [state, status] : ends) {
        RunObservation e = observation(RunStatus::Running, job(state));
        e.confirmed = true;
        EXPECT_EQ(reconcile(e).status, status) << state;
        EXPECT_TRUE(reconcile(e).settled) << state;
        EXPECT_FALSE(reconcile(e).reason.empty()) << state;
    }
}

TEST(RunState, ARunThatHungUntilNobodyTriedItAgainSaysSo) {
    RunObservation e = observation(RunStatus::Running, job("FAILED"));
    e.slurm->exitCode = "75:0";
    e.confirmed = true;
    EXPECT_EQ(reconcile(e).status, RunStatus::Failed);
    EXPECT_THAT(reconcile(e).reason, HasSubstr("It hung"));
    EXPECT_THAT(reconcile(e).reason, HasSubstr("the connection between ranks")) << "exit 75 means that, too";
}

TEST(RunState, APreemptedJobThatSlurmForgetsIsSaidToHaveBeenPreempted) {
    RunObservation waiting = observation(RunStatus::Running, job("PREEMPTED"));
    EXPECT_EQ(reconcile(waiting).status, RunStatus::Scheduled) << "it may be put back into the queue";
    EXPECT_FALSE(reconcile(waiting).settled);
    RunObservation gone = observation(RunStatus::Scheduled, std::nullopt);
    gone.lastSlurmState = "PREEMPTED";
    gone.confirmed = true;
    EXPECT_EQ(reconcile(gone).status, RunStatus::Failed);
    EXPECT_THAT(reconcile(gone).reason, HasSubstr("preempted"));
}

}  // namespace
}  // namespace dailies::remote
