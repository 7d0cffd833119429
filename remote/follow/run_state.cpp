#include "remote/follow/run_state.h"

#include "core/base/text.h"

#include <algorithm>

namespace dailies::remote {

namespace {

using tracking::RunStatus;

/// How a run ended whose job is over although no end event came.
RunStatus endedStatus(const std::string& state) {
    return state == "CANCELLED" || state == "REVOKED" ? RunStatus::Killed : RunStatus::Failed;
}

/// How the script marks a run that hung, or that lost a rank or the connection between its ranks
/// (resources/slurm/sweep.sbatch).
constexpr int kHung = 75;
constexpr const char* kHungText =
    "It hung, or lost a rank or the connection between ranks, repeatedly; its messages say which. Fix the "
    "cause, then relaunch it.";

std::string exitText(const AttemptRecord& mark) {
    if (mark.exitCode == kHung) return kHungText;
    return "Its job ended with exit code " + std::to_string(mark.exitCode) +
           " without finishing the run. The log says why.";
}

/// Of a program whose exit code is all that it says. 126 and 127 are bash's own (bash(1), EXIT STATUS).
std::string programExitText(const AttemptRecord& mark) {
    if (mark.exitCode == 126) return "Its program may not be executed. The log names it.";
    if (mark.exitCode == 127) return "Its program was not found. The log names it; check the environment.";
    return "Its program ended with exit code " + std::to_string(mark.exitCode) + ". The log says why.";
}

/// Slurm keeps no record of a task that was taken out of a waiting array, nor for long of any that has ended.
bool wasCancelled(const RunObservation& observation, bool begun) {
    return observation.cancelRequested || !observation.stopReason.empty() ||
           (!begun && observation.recentlyPending);
}

/// Whether the preemption that was seen last is what ended the job. Had it been requeued unseen and then
/// failed by itself, it would have ended with an exit code of its own and not by a signal.
bool wasDropped(const RunObservation& observation, const AttemptRecord* last) {
    const bool endedByItself = last && last->endTime && last->exitCode > 0 && last->exitCode <= 128;
    return observation.lastSlurmState == "PREEMPTED" && !endedByItself;
}

RunState reconcileLost(const RunObservation& observation) {
    RunState state;
    state.over = true;
    state.slurmState = kLost;
    state.status = observation.status;
    state.reason = observation.reason;
    const AttemptRecord* last = observation.marks.empty() ? nullptr : &observation.marks.back();
    if (last && last->endTime) {
        state.slurmState = last->exitCode == 0 ? "COMPLETED" : "FAILED";
        state.endMs = last->endTime * 1000;
    } else if (wasCancelled(observation, last)) {
        state.slurmState = "CANCELLED";
    }
    if (tracking::isActive(observation.status) && observation.endsByExitCode &&
        state.slurmState == "COMPLETED") {
        state.status = RunStatus::Finished;
        state.reason.clear();
    } else if (tracking::isActive(observation.status) && state.slurmState == "CANCELLED") {
        state.status = RunStatus::Killed;
        state.reason = last                          ? "It was cancelled."
                       : observation.cancelRequested ? "It was cancelled before it started."
                                                     : "It was taken out of Slurm's queue before it started.";
    } else if (tracking::isActive(observation.status)) {
        state.status = RunStatus::Failed;
        state.reason =
            wasDropped(observation, last) ? "It was preempted and not requeued. Launch it again."
            : last && last->endTime ? (observation.endsByExitCode ? programExitText(*last) : exitText(*last))
            : last ? "Slurm no longer knows its job, and the job recorded no exit. Launch it again."
                   : "Slurm does not know its job, and it never started. Launch it again.";
    }
    state.settled = observation.confirmed || (last && last->endTime);
    return state;
}

/// What Slurm says of the newest attempt, which is a further one when Slurm counts more restarts than the
/// marks.
void applySlurm(const std::string& runId, const slurm::JobStatus& slurm,
                std::vector<tracking::Attempt>& attempts) {
    const bool known =
        !attempts.empty() && attempts.back().job == slurm.job && attempts.back().restarts >= slurm.restarts;
    if (known && slurm.state == "PENDING") {
        attempts.back().state = "REQUEUED";  // put back, and not yet counted as a restart
        return;
    }
    if (!known) {
        attempts.emplace_back();
        attempts.back().runId = runId;
        attempts.back().job = slurm.job;
        attempts.back().restarts = slurm.restarts;
    }
    tracking::Attempt& newest = attempts.back();
    newest.state = slurm.state;
    newest.reason = slurm.reason;
    if (!slurm.exitCode.empty()) newest.exitCode = slurm.exitCode;
    if (!slurm.node.empty()) newest.node = slurm.node;
    if (!newest.startMs) newest.startMs = slurm.startTime * 1000;
    if (slurm.endTime) newest.endMs = slurm.endTime * 1000;
}

RunState reconcileJob(const RunObservation& observation) {
    if (!observation.slurm) return reconcileLost(observation);
    const slurm::JobStatus& slurm = *observation.slurm;
    RunState state;
    state.status = observation.status;
    state.slurmState = slurm.state;
    state.reason = observation.reason;
    const bool finished = observation.status == RunStatus::Finished;
    if (!slurm::isFinal(slurm.state)) {
        const bool waits = slurm.state != "RUNNING" && slurm.state != "COMPLETING" &&
                           slurm.state != "SUSPENDED" && slurm.state != "STOPPED" &&
                           slurm.state != "SIGNALING" && slurm.state != "RESIZING" &&
                           slurm.state != "STAGE_OUT";
        // A run that stopped or failed and whose job waits again was requeued: it goes on.
        if (waits && !finished) state.status = RunStatus::Scheduled;
        if (slurm.state == "RUNNING" && observation.status == RunStatus::Scheduled)
            state.status = RunStatus::Running;
        if (waits || tracking::isActive(observation.status)) state.reason = slurm::explain(slurm);
        if (finished) state.reason.clear();
        return state;
    }
    state.over = true;
    // The script's end mark stands behind the trainer's last event in time, so seeing it means that all
    // events were seen.
    const bool endSeen = !observation.marks.empty() && observation.marks.back().endTime != 0 &&
                         observation.marks.back().restarts >= slurm.restarts;
    state.settled = observation.confirmed || endSeen;
    if (slurm.endTime) state.endMs = slurm.endTime * 1000;
    if (finished) {
        state.reason.clear();
        return state;
    }
    if (!tracking::isActive(observation.status)) {
        // "It stopped at step 800" says less than that Slurm took its time away.
        const std::string why = slurm::explain(slurm);
        if (slurm.state != "COMPLETED" && slurm.state != "FAILED" && !observation.reason.starts_with(why))
            state.reason = why + (observation.reason.empty() ? "" : " " + observation.reason);
        return state;
    }
    if (observation.endsByExitCode && slurm.state == "COMPLETED") {
        state.status = RunStatus::Finished;
        state.reason.clear();
        return state;
    }
    state.status = endedStatus(slurm.state);
    const bool hung = !observation.endsByExitCode && slurm.state == "FAILED" &&
                      slurm.exitCode.starts_with(std::to_string(kHung) + ":");
    const bool given =
        slurm.state == "CANCELLED" && observation.cancelRequested;  // whatever Slurm's reason was
    const bool byItself = observation.endsByExitCode && slurm.state == "FAILED" && endSeen;
    state.reason = hung                                 ? kHungText
                   : byItself                           ? programExitText(observation.marks.back())
                   : given && observation.marks.empty() ? "It was cancelled before it started."
                   : given                              ? "It was cancelled."
                   : slurm.state == "COMPLETED" ? "Its job ended without finishing the run. The log says why."
                                                : slurm::explain(slurm);
    return state;
}

}  // namespace

RunState reconcile(const RunObservation& observation) {
    RunState state = reconcileJob(observation);
    // A run that was given up ended as it should, however its job went; unless it was quicker and finished.
    if (!observation.stopReason.empty() && state.over && state.status != RunStatus::Finished) {
        state.status = RunStatus::Killed;
        state.reason = observation.stopReason;
    }
    return state;
}

std::vector<tracking::Attempt> attemptsOf(const std::string& runId, const RunObservation& observation) {
    std::vector<tracking::Attempt> attempts;
    for (const AttemptRecord& mark : observation.marks) {
        tracking::Attempt attempt;
        attempt.runId = runId;
        attempt.job = mark.job;
        attempt.restarts = mark.restarts;
        attempt.node = sanitizedText(mark.host);
        attempt.startMs = mark.startTime * 1000;
        attempt.endMs = mark.endTime * 1000;
        attempt.state = mark.endTime == 0 ? "RUNNING" : mark.exitCode == 0 ? "COMPLETED" : "FAILED";
        if (mark.endTime) attempt.exitCode = std::to_string(mark.exitCode) + ":0";
        attempts.push_back(std::move(attempt));
    }
    if (observation.slurm)
        applySlurm(runId, *observation.slurm, attempts);
    else if (!attempts.empty() && attempts.back().state == "RUNNING")
        attempts.back().state = kLost;
    // An attempt that was followed by another of the same job did not end the run, whatever its exit code.
    for (std::size_t i = 0; i + 1 < attempts.size(); ++i)
        if (attempts[i].job == attempts[i + 1].job) attempts[i].state = "REQUEUED";
    return attempts;
}

}  // namespace dailies::remote
