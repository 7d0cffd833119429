#pragma once

#include "core/preflight/report.h"
#include "remote/cluster/cluster.h"
#include "remote/cluster/trainer_install.h"

#include <chrono>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

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
PreflightRequest resolved(PreflightRequest request, const ClusterProfile& profile,
                          const slurm::ClusterFacts& facts);

/// The sbatch script of a preflight alone. `folder`: on the cluster, for the report.
std::string preflightScript(const std::string& folder, const std::string& program,
                            const PreflightRequest& request, const ClusterProfile& profile);

/// Submits a preflight and waits for its report, which is also kept in `history`. `progress` says why it
/// waits. A request to stop cancels the job. Throws `Error` when the job ended without a report, with what it
/// said last.
preflight::Report runPreflight(Cluster& cluster, const InstalledTrainer& trainer,
                               const PreflightRequest& request, const std::filesystem::path& history,
                               const Progress& progress = {}, std::stop_token stop = {});

/// Copies the reports of the workspace that `history` does not have, those of runs' own preflights included;
/// returns how many.
int mirrorPreflights(Cluster& cluster, const std::filesystem::path& history, std::stop_token stop = {});

/// Where this machine keeps a cluster's reports.
std::filesystem::path preflightHistory(const std::string& cluster);

/// The reports in a history, newest first, at most `count`; files that are no reports are left out.
std::vector<preflight::Report> readPreflights(const std::filesystem::path& history, std::size_t count = 50);

}  // namespace dailies::remote
