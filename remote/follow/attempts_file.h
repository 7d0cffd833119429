#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dailies::remote {

/// One attempt as the job script marked it in <run>/attempts.tsv: what is known where Slurm has forgotten the
/// job.
struct AttemptRecord {
    std::string job;  ///< "<jobid>" or "<arrayjobid>_<task>"
    std::int64_t restarts = 0;
    std::string host;
    std::int64_t startTime = 0;  ///< unix seconds
    std::int64_t endTime = 0;    ///< 0: no end was marked (it runs, or was killed together with its script)
    int exitCode = 0;            ///< of srun; only with an end
};

/// A checkpoint of the run that was given to a job of its own to sample.
struct SampleRecord {
    std::string job;        ///< empty: none could be submitted
    std::int64_t step = 0;  ///< of the checkpoint; 0: its path names none
    bool ended = false;     ///< as the job marked it; what kills a job leaves no mark
    int exitCode = 0;       ///< only with an end
};

/// Those of <run>/attempts.tsv, in the order in which they were submitted.
std::vector<SampleRecord> parseSamples(std::string_view tsv);

/// The attempts in the order in which they began. Lines that are torn or malformed are skipped.
std::vector<AttemptRecord> parseAttempts(std::string_view tsv);

}  // namespace dailies::remote
