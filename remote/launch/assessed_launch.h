#pragma once

#include "remote/diagnostics/cluster_check.h"
#include "remote/fit/memory_check.h"
#include "remote/launch/forecast.h"
#include "remote/launch/launch.h"

#include <span>
#include <vector>

namespace dailies::remote {

/// What a launch would do, take and repeat, and what there is to say of it, before anything is sent.
struct AssessedLaunch {
    LaunchPlan plan;
    Forecast forecast;
    MemoryCheck memory;
    std::vector<ClusterFinding> findings;
};

/// `chain`: plans each of which waits for the one before it; a launch on its own is a chain of one. Without
/// `facts` (no cluster is connected) resources are not checked, and memory only as far as the resources say.
/// Reads nothing but its arguments, on any thread.
std::vector<AssessedLaunch> assess(std::vector<LaunchPlan> chain, const PastRuns& past,
                                   const ClusterProfile& profile, const slurm::ClusterFacts* facts);

/// What they cost and take together, one after the other; known where all are. Of several it says nothing of
/// repeats and early stopping.
Forecast totalOf(std::span<const AssessedLaunch> chain);

}  // namespace dailies::remote
