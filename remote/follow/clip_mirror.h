#pragma once

#include "core/tracking/store.h"
#include "remote/cluster/cluster.h"
#include "remote/follow/mirror_budget.h"

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace dailies::remote {

/// Where a run's file lies below the mirror. Throws `Error` for a path that is not relative, has "..", or is
/// otherwise no plain path: events come from the cluster and are not trusted with the desktop's disk.
std::filesystem::path mirroredPath(const std::filesystem::path& mirror, const std::string& runId,
                                   const std::string& path);

/// Copies the clips that events announced to the desktop, within a budget, and checks that each can be
/// played.
///
/// Where more waits than one call brings, the beginnings of all clips come before any whole one, so that
/// everything has a picture at once (see `ClipPart`). Then the clips come, newest step first. One for which
/// there is no room, because all that is here was used since it was made or was judged, is let go at once
/// (see `MirrorBudget`). A clip that is missing, damaged or too large becomes a message of its run and is not
/// asked for again.
class ClipMirror {
public:
    ClipMirror(Cluster& cluster, tracking::Store& store, std::filesystem::path mirror,
               std::optional<MirrorLimits> limits = {});

    struct FetchResult {
        std::map<std::string, int> clips;   ///< that came whole, by run
        std::set<std::string> changedRuns;  ///< of which something can be shown that could not before
        bool more = false;                  ///< more waits: call again
    };
    /// Fetches some of what the store lacks, a bounded amount a call.
    FetchResult fetch(std::stop_token stop);

    /// Fetches the one clip that somebody opens, whether it was let go or has not come yet, over whatever is
    /// here and not judged. What breaks goes on where it ended in the next call. Throws `Error` where there
    /// is no such clip, it cannot be played, or it does not fit.
    void fetchOne(const std::string& runId, const std::string& path,
                  const ssh::Session::TransferProgress& progress, std::stop_token stop);

private:
    struct Wanted {
        tracking::ClipRecord clip;
        std::filesystem::path local;
        std::string remote = {};  ///< below the workspace's runs
        ssh::FileStat stat = {};
    };
    using Key = std::pair<std::string, std::string>;  ///< run id, path

    std::optional<tracking::ClipRecord> recorded(const std::string& runId, const std::string& path) const;
    Wanted wantedOf(tracking::ClipRecord clip) const;
    std::vector<Wanted> waiting(std::stop_token stop);
    std::vector<Wanted> found(std::vector<Wanted> wanted, bool missingCounts, std::stop_token stop);
    bool readHeads(const std::vector<const Wanted*>& clips, FetchResult& fetched, std::stop_token stop);
    void fetchWhole(std::vector<Wanted> clips, FetchResult& fetched, std::stop_token stop);
    void missed(const tracking::ClipRecord& clip, const std::string& why);
    void keep(const Wanted& wanted);
    void giveUp(const tracking::ClipRecord& clip, const std::string& why);

    Cluster& m_cluster;
    tracking::Store& m_store;
    std::filesystem::path m_mirror;
    MirrorBudget m_budget;
    std::map<Key, int> m_misses;
    std::set<Key> m_givenUp;
    std::set<Key> m_headsDone;  ///< whose beginning is here, or is not worth a journey of its own
};

}  // namespace dailies::remote
