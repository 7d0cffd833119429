#pragma once

#include "remote/cluster/profile.h"
#include "remote/slurm/scheduler.h"

#include <chrono>
#include <string>

namespace dailies::remote {

/// Nodes to look at. Empty text = the profile's, else the cluster's default.
struct PreflightRequest {
    int nodes = 0;  ///< 0: all of the partition
    std::string partition;
    int ranksPerNode = 0;  ///< 0: one for each GPU, or one
    int gpusPerNode = -1;  ///< -1: all that the partition's nodes have
    int cpusPerRank = 1;
    std::chrono::seconds budget{90};
};

/// The request with nothing left to default, by what the cluster told of its partitions. Throws `InputError`
/// for a partition that there is not, or that has fewer nodes.
PreflightRequest withDefaults(PreflightRequest request, const ClusterProfile& profile,
                              const slurm::ClusterFacts& facts);

/// The sbatch script of a preflight alone. `folder`: on the cluster, for the report.
std::string preflightScript(const std::string& folder, const std::string& program,
                            const PreflightRequest& request, const ClusterProfile& profile);

}  // namespace dailies::remote
