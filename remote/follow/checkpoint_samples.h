#pragma once

#include "core/tracking/sample_counts.h"
#include "core/tracking/store.h"
#include "remote/follow/attempts_file.h"
#include "remote/slurm/job.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace dailies::remote {

/// Looks after the jobs that sample the checkpoints of runs: which of them are still to end, also once their
/// run has ended, and which failed. The runs' jobs submit them by themselves (program_sampling.sh).
class CheckpointSamples {
public:
    /// The store must outlive it; one thread.
    explicit CheckpointSamples(tracking::Store& store) : m_store(store) {}

    /// Of which nobody knows yet that they have ended: Slurm is to be asked.
    std::vector<std::string> openJobs() const;

    struct Report {
        std::set<std::string> changedRuns;
        std::vector<std::string> notes;  ///< of what failed, for a person
    };
    /// What the runs' attempts.tsv say now, and Slurm said before they were read of `openJobs`.
    Report look(const std::map<std::string, std::string>& attempts,
                const std::map<std::string, slurm::JobStatus>& statuses);

    bool isWaitedFor(const std::string& runId) const;
    int waiting() const;  ///< of all runs

    void forget(const std::string& runId) { m_runs.erase(runId); }

private:
    struct Samples {
        std::vector<SampleRecord> records;
        std::map<std::string, int> unseen;        ///< how often in a row Slurm did not know the job
        std::map<std::string, std::string> lost;  ///< why a job left no mark, by job
        tracking::SampleCounts recorded;          ///< as the run's tag has them
    };
    bool isOpen(const Samples& samples, const SampleRecord& record) const;
    void noticeLost(Samples& samples, const std::map<std::string, slurm::JobStatus>& statuses);
    void record(const std::string& runId, Samples& samples, Report& report);

    tracking::Store& m_store;
    std::map<std::string, Samples> m_runs;  ///< by run id; those that have any
};

}  // namespace dailies::remote
