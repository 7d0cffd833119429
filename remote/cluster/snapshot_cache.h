#pragma once

#include "remote/cluster/cluster.h"
#include "remote/slurm/snapshot.h"

#include <filesystem>
#include <optional>
#include <string>

namespace dailies::remote {

/// What a cluster was like when it was last looked at.
struct ClusterView {
    std::string cluster;  ///< name of the profile
    std::string host;     ///< "ada@login.example.org"
    std::string workspace;
    std::string version;  ///< of Slurm
    bool accounting = false;
    slurm::Snapshot snapshot;
    slurm::JobsByNode jobsOn;  ///< of the snapshot
};

/// Without its snapshot.
ClusterView viewOf(const Cluster& cluster);

/// Keeps Slurm's answer (`Scheduler::snapshot`) beside the store, so that the next session begins with it and
/// one without a connection is not blind. One file a cluster, readable by its owner alone.
void saveSnapshot(const std::filesystem::path& storeFile, const ClusterView& view, const std::string& answer);

/// The kept one of this cluster, or with no name the newest of all. What cannot be read is no view.
std::optional<ClusterView> loadSnapshot(const std::filesystem::path& storeFile,
                                        const std::string& cluster = {});

}  // namespace dailies::remote
