#pragma once

#include "core/rules/source_rules.h"
#include "core/tracking/store.h"
#include "remote/follow/source_follower.h"

#include <chrono>
#include <filesystem>
#include <map>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

namespace dailies::remote {

/// Follows what any program writes in folders that Dailies did not launch anything into, on a cluster or on
/// this machine, with or without Slurm: every run found below them (see runFolders) becomes a run of the
/// store, its curves and clips come in as they grow, and runs that appear later join. The folders are only
/// read. What a run's id is follows from where it lies: watching again goes on.
///
/// Nobody says of such a run that it ended. It counts as running while any of its files changed lately.
class FolderWatcher {
public:
    struct Options {
        std::string cluster = {};                     ///< whose folders they are; empty: this machine's
        std::chrono::milliseconds findEvery{10'000};  ///< how often new runs are looked for
        std::chrono::minutes quietFor{15};            ///< after which a run counts as ended
        rules::SourceRules rules = {};                ///< of all that is found
        std::filesystem::path mirror = {};            ///< for videos inside trackers' files; empty: left out
    };
    /// `folders` are absolute. The store must outlive it; one thread.
    FolderWatcher(FileReader read, tracking::Store& store, std::vector<std::string> folders, Options options);

    struct Report {
        std::set<std::string> changedRuns;
        std::vector<std::string> newRuns;  ///< ids, in the order of their folders
        int runs = 0, activeRuns = 0;
    };
    /// One round. Throws `Error`, `SessionError`, `Cancelled`; the next round goes on from where this one
    /// was.
    Report poll(std::stop_token stop = {});

private:
    struct Watched {
        SourceFollower::Place place;
        std::string folder;  ///< absolute
        std::int64_t newestMs = 0;
        std::int64_t oldestMs = 0;
        bool isActive = true;
    };

    void findRuns(Report& report, std::stop_token stop);
    void add(const std::string& root, const std::string& folder, const Watched& found, Report& report);
    void refreshStatus(const std::string& runId, Watched& run, Report& report);
    void showClips(const std::string& runId, const Watched& run);
    std::string idOf(const std::string& folder) const;

    FileReader m_read;
    tracking::Store& m_store;
    std::vector<std::string> m_folders;
    Options m_options;
    SourceFollower m_sources;
    std::map<std::string, Watched> m_runs;  ///< by run id
    std::chrono::steady_clock::time_point m_nextFind{};
};

}  // namespace dailies::remote
