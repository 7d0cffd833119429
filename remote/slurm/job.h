#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dailies::remote::slurm {

/// What Slurm says of one job or array task now.
struct JobStatus {
    std::string job;  ///< "<jobid>" or "<arrayjobid>_<task>"
    std::string
        state;  ///< one of Slurm's words (PENDING, RUNNING, TIMEOUT, …), without suffixes such as "by 1000"
    std::string reason;    ///< pending reason or end reason; "None" is given as ""
    std::string exitCode;  ///< "code:signal"; empty while unknown
    std::string node;      ///< node list; empty while it waits
    std::int64_t restarts = 0;
    std::int64_t submitTime = 0, startTime = 0, endTime = 0;  ///< unix seconds; 0 = not (yet)
    std::string comment;                                      ///< as submitted: the sweep or run id
};

/// Whether Slurm will not run this job any further (COMPLETED, FAILED, CANCELLED, TIMEOUT, OUT_OF_MEMORY,
/// NODE_FAIL, …). PREEMPTED and the requeue states are not final: the same job may start again.
bool isFinal(std::string_view state);

/// "It ran longer than its time limit." — what happened and what to do, for a person, from state, reason and
/// exit code.
std::string explain(const JobStatus& status);

}  // namespace dailies::remote::slurm
