#include "remote/cluster/run_state.h"

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
    "It hung, or lost a rank or the connection between its ranks, again and again. Its messages say which. "
    "Launch it again when that is mended.";

std::string exitText(const AttemptMark& mark) {
    if (mark.exitCode == kHung) return kHungText;
    return "Its job ended with exit code " + std::to_string(mark.exitCode) +
           " without finishing the run. The log says why.";
}

/// Slurm keeps no record of a task that was taken out of a waiting array, nor for long of any that has ended.
bool wasCancelled(const Evidence& evidence, bool begun) {
    return evidence.cancelAsked || !evidence.stoppedWhy.empty() || (!begun && evidence.waitedJustNow);
}

/// Whether the preemption that was seen last is what ended the job. Had it been requeued unseen and then
/// failed by itself, it would have ended with an exit code of its own and not by a signal.
bool wasDropped(const Evidence& evidence, const AttemptMark* last) {
    const bool endedByItself = last && last->endTime && last->exitCode > 0 && last->exitCode <= 128;
    return evidence.lastSlurmState == "PREEMPTED" && !endedByItself;
}

RunState judgeLost(const Evidence& evidence) {
    RunState state;
    state.over = true;
    state.slurmState = kLost;
    state.status = evidence.status;
    state.reason = evidence.reason;
    const AttemptMark* last = evidence.marks.empty() ? nullptr : &evidence.marks.back();
    if (last && last->endTime) {
        state.slurmState = last->exitCode == 0 ? "COMPLETED" : "FAILED";
        state.endMs = last->endTime * 1000;
    } else if (wasCancelled(evidence, last)) {
        state.slurmState = "CANCELLED";
    }
    if (tracking::isActive(evidence.status) && state.slurmState == "CANCELLED") {
        state.status = RunStatus::Killed;
        state.reason = last                   ? "It was cancelled."
                       : evidence.cancelAsked ? "It was cancelled before it started."
                                              : "It was taken out of Slurm's queue before it started.";
    } else if (tracking::isActive(evidence.status)) {
        state.status = RunStatus::Failed;
        state.reason =
            wasDropped(evidence, last)
                ? "It was preempted, and Slurm did not put it back into the queue. Launch it again."
            : last && last->endTime ? exitText(*last)
            : last ? "Slurm no longer knows its job, and the job left no word of its end. Launch it again."
                   : "Slurm does not know its job, and it never started. Launch it again.";
    }
    state.settled = evidence.confirmed || (last && last->endTime);
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

RunState judgeJob(const Evidence& evidence) {
    if (!evidence.slurm) return judgeLost(evidence);
    const slurm::JobStatus& slurm = *evidence.slurm;
    RunState state;
    state.status = evidence.status;
    state.slurmState = slurm.state;
    state.reason = evidence.reason;
    const bool finished = evidence.status == RunStatus::Finished;
    if (!slurm::isFinal(slurm.state)) {
        const bool waits = slurm.state != "RUNNING" && slurm.state != "COMPLETING" &&
                           slurm.state != "SUSPENDED" && slurm.state != "STOPPED" &&
                           slurm.state != "SIGNALING" && slurm.state != "RESIZING" &&
                           slurm.state != "STAGE_OUT";
        // A run that stopped or failed and whose job waits again was requeued: it goes on.
        if (waits && !finished) state.status = RunStatus::Scheduled;
        if (slurm.state == "RUNNING" && evidence.status == RunStatus::Scheduled)
            state.status = RunStatus::Running;
        if (waits || tracking::isActive(evidence.status)) state.reason = slurm::explain(slurm);
        if (finished) state.reason.clear();
        return state;
    }
    state.over = true;
    // The script's end mark stands behind the trainer's last event in time, so seeing it means that all
    // events were seen.
    const bool endSeen = !evidence.marks.empty() && evidence.marks.back().endTime != 0 &&
                         evidence.marks.back().restarts >= slurm.restarts;
    state.settled = evidence.confirmed || endSeen;
    if (slurm.endTime) state.endMs = slurm.endTime * 1000;
    if (finished) {
        state.reason.clear();
        return state;
    }
    if (!tracking::isActive(evidence.status)) {
        // "It stopped at step 800" says less than that Slurm took its time away.
        const std::string why = slurm::explain(slurm);
        if (slurm.state != "COMPLETED" && slurm.state != "FAILED" && !evidence.reason.starts_with(why))
            state.reason = why + (evidence.reason.empty() ? "" : " " + evidence.reason);
        return state;
    }
    state.status = endedStatus(slurm.state);
    const bool hung = slurm.state == "FAILED" && slurm.exitCode.starts_with(std::to_string(kHung) + ":");
    const bool given = slurm.state == "CANCELLED" && evidence.cancelAsked;  // whatever Slurm's reason was
    state.reason = hung                              ? kHungText
                   : given && evidence.marks.empty() ? "It was cancelled before it started."
                   : given                           ? "It was cancelled."
                   : slurm.state == "COMPLETED" ? "Its job ended without finishing the run. The log says why."
                                                : slurm::explain(slurm);
    return state;
}

}  // namespace

RunState judge(const Evidence& evidence) {
    RunState state = judgeJob(evidence);
    // A run that was given up ended as it should, however its job went; unless it was quicker and finished.
    if (!evidence.stoppedWhy.empty() && state.over && state.status != RunStatus::Finished) {
        state.status = RunStatus::Killed;
        state.reason = evidence.stoppedWhy;
    }
    return state;
}

std::vector<tracking::Attempt> attemptsOf(const std::string& runId, const Evidence& evidence) {
    std::vector<tracking::Attempt> attempts;
    for (const AttemptMark& mark : evidence.marks) {
        tracking::Attempt attempt;
        attempt.runId = runId;
        attempt.job = mark.job;
        attempt.restarts = mark.restarts;
        attempt.node = inertText(mark.host);
        attempt.startMs = mark.startTime * 1000;
        attempt.endMs = mark.endTime * 1000;
        attempt.state = mark.endTime == 0 ? "RUNNING" : mark.exitCode == 0 ? "COMPLETED" : "FAILED";
        if (mark.endTime) attempt.exitCode = std::to_string(mark.exitCode) + ":0";
        attempts.push_back(std::move(attempt));
    }
    if (evidence.slurm)
        applySlurm(runId, *evidence.slurm, attempts);
    else if (!attempts.empty() && attempts.back().state == "RUNNING")
        attempts.back().state = kLost;
    // An attempt that was followed by another of the same job did not end the run, whatever its exit code.
    for (std::size_t i = 0; i + 1 < attempts.size(); ++i)
        if (attempts[i].job == attempts[i + 1].job) attempts[i].state = "REQUEUED";
    return attempts;
}

}  // namespace dailies::remote
