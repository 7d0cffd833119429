#pragma once

#include "core/tracking/store.h"
#include "remote/diagnostics/cluster_check.h"
#include "remote/launch/launch.h"

#include <cstdint>
#include <stop_token>
#include <vector>

namespace dailies::remote {

/// What was looked at before a launch.
struct LaunchCheck {
    std::vector<ClusterFinding> findings;
    std::int64_t startTime = 0;  ///< unix seconds at which Slurm expects the first run to start; 0: not said
};

/// All that can be known before anything is submitted: resources against what was learned of the cluster,
/// the metric that a search goes by, modules and Python environment, variables that nothing reads, memory,
/// room for what the runs write, and `sbatch --test-only`. The plan may be one for a trainer that is not
/// built yet. Submits nothing and leaves nothing behind.
LaunchCheck checkLaunch(Cluster& cluster, const LaunchPlan& plan, std::stop_token stop = {});

/// What is known without a connection: `checkResources` where `facts` are at hand, the metric,
/// variables, the fabric.
std::vector<ClusterFinding> checkOffline(const sweep::Sweep& sweep, std::size_t runs,
                                         const ClusterProfile& profile, const slurm::ClusterFacts* facts);

}  // namespace dailies::remote
