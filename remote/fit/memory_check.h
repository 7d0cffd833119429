#pragma once

#include "core/planner/fit.h"
#include "core/sweep/sweep.h"
#include "remote/cluster/profile.h"
#include "remote/slurm/scheduler.h"

#include <string>
#include <vector>

namespace dailies::remote {

/// Bytes of a size as sbatch takes it ("2G", "2000" for MiB); 0, which asks for the node whole, also where it
/// is none.
double parseMemorySize(const std::string& text);

/// Everything of a config that its memory and the length of its steps depend on: runs of a sweep share it
/// more often than not.
std::string memoryKey(const Json& config);

/// What Slurm gives a job that asks for these resources: by `--mem`, else by the partition's rule, else the
/// node whole. Without `facts` (no cluster is connected) only what the resources say themselves.
planner::JobMemory jobMemory(const sweep::Resources& resources, const ClusterProfile& profile,
                             const slurm::ClusterFacts* facts);

/// Whether the runs of a launch get the memory that they need, told by the run that comes off worst.
struct MemoryCheck {
    planner::FitVerdict verdict = planner::FitVerdict::unknown;
    std::string text;    ///< what its ranks need, and where it is known, of how much; names the run where the
                         ///< runs differ
    std::string remedy;  ///< what to change; empty where it fits
};

/// Throws `InputError` for a layout that does not divide the launch's ranks.
MemoryCheck checkMemory(const sweep::Sweep& sweep, const std::vector<sweep::PlannedRun>& runs,
                        const ClusterProfile& profile, const slurm::ClusterFacts* facts);

/// Whether a job of these resources computes on a GPU.
bool computesOnGpu(const sweep::Resources& resources, const config::TrainConfig& config);

/// Throws `InputError` with the check's words where some run cannot fit.
void throwIfTooLarge(const MemoryCheck& check);

}  // namespace dailies::remote
