#pragma once

#include "core/tracking/store.h"
#include "remote/follow/attempts_file.h"
#include "remote/slurm/job.h"

#include <optional>
#include <string>
#include <vector>

namespace dailies::remote {

/// Everything that is known of a run's newest job at one moment.
struct RunObservation {
    tracking::RunStatus status = tracking::RunStatus::Scheduled;  ///< after all events were ingested
    std::string reason;                     ///< what the run's end event said; empty when it said nothing
    std::optional<slurm::JobStatus> slurm;  ///< nullopt: Slurm does not know the job (any more)
    std::string stopReason;                 ///< that early stopping gave the run up, and why; else empty
    std::string lastSlurmState;             ///< Slurm's word when the run was judged before
    bool endsByExitCode = false;   ///< its program writes no end event: exit code 0 is how it finishes
    bool cancelRequested = false;  ///< somebody asked Dailies to cancel it
    bool recentlyPending =
        false;  ///< Slurm had it in its queue so lately that, had it begun, Slurm would know
    std::vector<AttemptRecord> marks;
    bool confirmed = false;  ///< the job was over in an earlier round too, so nothing is still to be read
};

/// What a run's row should say.
struct RunState {
    tracking::RunStatus status = tracking::RunStatus::Scheduled;
    std::string slurmState;  ///< Slurm's word, or "LOST"
    std::string reason;
    bool settled = false;  ///< nothing will change any more
    bool over = false;     ///< Slurm is done with the job; settled once that is confirmed by a further round
    std::optional<std::int64_t> endMs;
};

inline constexpr const char* kLost = "LOST";

/// Reconciles Slurm's word, the script's marks and the events. The end event has the last word on how a run
/// ended; without one, a run whose job is gone did not finish, whatever Slurm says. Pure.
RunState reconcile(const RunObservation& observation);

/// The run's attempts from the marks and, for the newest, Slurm's word.
std::vector<tracking::Attempt> attemptsOf(const std::string& runId, const RunObservation& observation);

}  // namespace dailies::remote
