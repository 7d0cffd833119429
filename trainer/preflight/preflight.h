#pragma once

#include "core/preflight/report.h"
#include "trainer/parallel/dist_env.h"

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace dailies::trainer {

/// Looks at the nodes of a job before training does: one process a GPU, or a node on CPUs.
struct PreflightJob {
    std::filesystem::path folder;  ///< on the shared file system: for the parts and the report
    std::vector<std::string>
        nodes;  ///< of the job, in Slurm's order; one that does not answer is named by this
    std::chrono::seconds budget{90};
    int threads = 1;  ///< of each process, on CPUs
};

/// Measures with the other ranks, within the budget whatever they do: after it the process is ended. Each
/// rank's part lies in `folder`/parts as far as it came; rank 0 writes `folder`/preflight.json whole, and
/// returns the report. Other ranks return an empty one.
preflight::Report runPreflight(const PreflightJob& job, const DistEnv& ranks);

/// The report that rank 0 wrote; where it did not come so far, one is made of the parts and written.
preflight::Report concludePreflight(const PreflightJob& job);

}  // namespace dailies::trainer
