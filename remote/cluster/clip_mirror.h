#pragma once

#include "core/tracking/store.h"
#include "remote/cluster/cluster.h"

#include <filesystem>
#include <map>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

namespace dailies::remote {

/// Where a run's file lies below the mirror. Throws `Error` for a path that is not relative, has "..", or is
/// otherwise no plain path: events come from the cluster and are not trusted with the desktop's disk.
std::filesystem::path mirroredPath(const std::filesystem::path& mirror, const std::string& runId,
                                   const std::string& path);

/// Copies the clips that events announced to the desktop and checks that each can be played.
class ClipMirror {
public:
    ClipMirror(Cluster& cluster, tracking::Store& store, std::filesystem::path mirror);

    /// Fetches what the store lacks, newest step first, a bounded amount a call and all of it in one stream.
    /// Returns how many clips came of each run. A clip that is missing, damaged or too large becomes a
    /// message of its run and is not asked for again.
    std::map<std::string, int> fetch(std::stop_token stop);

private:
    struct Wanted {
        tracking::ClipRecord clip;
        std::filesystem::path local;
        std::string remote;  ///< below the workspace's runs
    };

    std::vector<Wanted> nextOnes(std::stop_token stop);
    void missed(const tracking::ClipRecord& clip, const std::string& why);
    bool keep(const Wanted& wanted);
    void giveUp(const tracking::ClipRecord& clip, const std::string& why);

    Cluster& m_cluster;
    tracking::Store& m_store;
    std::filesystem::path m_mirror;
    std::map<std::pair<std::string, std::string>, int> m_misses;
    std::set<std::pair<std::string, std::string>> m_givenUp;  ///< run id, path
};

}  // namespace dailies::remote
