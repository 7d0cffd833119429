#pragma once

#include "core/sweep/sweep.h"
#include "remote/cluster/profile.h"
#include "remote/diagnostics/cluster_check.h"
#include "remote/slurm/scheduler.h"

#include <string>
#include <vector>

namespace dailies::remote {

/// What is wrong with asking this of the cluster, by what was learned of it at connection: an unknown
/// partition, account, QOS, GPU type or feature; more time, nodes, CPUs, GPUs or memory than there is. Each
/// with the nearest that would do. `Bad`: no job of it would ever start; `Warn`: it may not. Empty: nothing.
/// `runs`: how many there are in the job array.
std::vector<ClusterFinding> checkResources(const sweep::Resources& resources, std::size_t runs,
                                           const ClusterProfile& profile, const slurm::ClusterFacts& facts);

/// Throws `InputError` with the words of the first that is `Bad`.
void throwIfInvalid(const std::vector<ClusterFinding>& findings);

/// The partition that a job goes to; null: the cluster has none of that name, or no default.
const slurm::Partition* partitionOf(const sweep::Resources& resources, const ClusterProfile& profile,
                                    const slurm::ClusterFacts& facts);

/// "6 nodes of 96 CPUs, 500 GiB, 8 × h100; at most 1 d 00 h", for a person who chooses.
std::string describe(const slurm::Partition& partition);

/// What may be chosen there: types of GPUs, features, sorted.
std::vector<std::string> gpuTypes(const slurm::Partition& partition);
std::vector<std::string> features(const slurm::Partition& partition);

/// The accounts, and the QOS of an account (of all where it is empty), that the user has; none where the
/// cluster keeps no accounts.
std::vector<std::string> accountsOf(const slurm::ClusterFacts& facts);
std::vector<std::string> qosOf(const slurm::ClusterFacts& facts, const std::string& account);

}  // namespace dailies::remote
