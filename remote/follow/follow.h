#pragma once

#include "core/alerts/rules.h"
#include "core/tracking/store.h"
#include "remote/cluster/cluster.h"
#include "remote/follow/checkpoint_samples.h"
#include "remote/follow/clip_mirror.h"
#include "remote/follow/failure_hold.h"
#include "remote/follow/mirror_budget.h"
#include "remote/follow/run_reader.h"
#include "remote/follow/source_follower.h"
#include "remote/follow/sweep_controller.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace dailies::remote {

/// What one round of following changed.
struct FollowReport {
    std::set<std::string> changedRuns;  ///< new points, clips, status or messages
    int newEvents = 0;
    int newClips = 0;                                 ///< clips whose file arrived
    bool moreClips = false;                           ///< more wait: `fetchClips` brings them
    std::chrono::steady_clock::duration slurmTook{};  ///< to answer
    int activeRuns = 0;                               ///< runs of this cluster that may still change
    int remainingRuns = 0;                ///< runs that sweeps may still submit as results come in
    int remainingSamples = 0;             ///< jobs that sample a checkpoint and have not ended
    std::set<std::string> changedSweeps;  ///< ids of sweeps that stopped or submitted runs
    std::vector<std::string> notes;       ///< what sweeps decided and which samples failed, for a person
    std::vector<alerts::Alert> alerts;    ///< of sweeps that were held; they are recorded
};

/// Brings the store up to date with the cluster: one remote call reads the new bytes of every active run's
/// events.jsonl (by offset), one asks Slurm for the states, then new clips are mirrored to
/// <mirror>/<run-id>/<path>. Exactly-once: rows and offset commit together. A run that ended is read once
/// more after its job left the queue, so nothing is missed; then its state is settled from Slurm, the
/// wrapper's marker, and the end event (a run whose job is gone never stays RUNNING). Then the sweeps decide
/// what is to be submitted or stopped next (see SweepController).
class Follower {
public:
    /// All three must outlive the follower; one thread. `mirror`: e.g. beside the store, "<store>.clips/".
    /// `limits`: of the mirrored clips; those of the settings where not given.
    Follower(Cluster& cluster, tracking::Store& store, std::filesystem::path mirror,
             std::optional<MirrorLimits> limits = {});

    enum class Clips { Fetch, Leave };
    /// `Leave`: clips are left to `fetchClips`, for who must not wait for them.
    FollowReport pollOnce(std::stop_token stop = {}, Clips clips = Clips::Fetch);
    /// Fetches more of the clips that wait, and asks nothing else; adds to the report what changed.
    void fetchClips(FollowReport& report, std::stop_token stop = {});
    ClipMirror& clips() { return m_clips; }

private:
    /// A run that may still change, and what was last seen of it.
    struct Followed {
        std::string job = {};
        std::string recorded = {};     ///< as its job, in the store
        std::string seen = {};         ///< Slurm's row and attempts.tsv when the run was last judged
        bool over = false;             ///< its job had left Slurm then
        std::int64_t waitedMs = 0;     ///< when Slurm last had it in its queue
        bool cancelRequested = false;  ///< when the run was last judged
        bool readsSources = false;     ///< its program writes files of its own kind, and no events
    };
    using Statuses = std::map<std::string, slurm::JobStatus>;  ///< by job

    void findRuns();
    Statuses askSlurm(std::stop_token stop);
    std::map<std::string, std::string> readEvents(FollowReport& report, std::stop_token stop);
    std::set<std::string> readSources(const std::map<std::string, std::string>& attempts,
                                      FollowReport& report, std::stop_token stop);
    void addRun(const tracking::Run& run, const std::string& job);
    int ingest(const std::string& runId, std::int64_t offset, const RunUpdate& update,
               std::set<std::string>& changedRuns);
    bool reconcileRun(const std::string& runId, Followed& followed, const Statuses& statuses,
                      const std::string& attempts, bool newEvents, bool filesMoved, FollowReport& report);
    void cancelAgain(const Statuses& statuses, std::stop_token stop);
    void warnOnce(const std::string& runId, const std::string& text);

    Cluster& m_cluster;
    tracking::Store& m_store;
    ClipMirror m_clips;
    SourceFollower m_sources;
    SweepController m_sweepController;
    FailureHold m_failureHold;
    CheckpointSamples m_samples;
    std::set<std::string> m_failed;                             ///< runs that m_failureHold is to look at
    std::map<std::string, Followed> m_runs;                     ///< by run id
    std::vector<std::pair<std::string, std::string>> m_sweeps;  ///< ids and jobs for which m_runs was made
    std::set<std::pair<std::string, std::string>> m_warned;
};

/// The folder for mirrored files that belongs to a store: "<store>.files".
std::filesystem::path mirrorFolder(const std::filesystem::path& storeFile);

/// The newest attempt's log (stdout and stderr) from `offset` on, inert for a terminal or label; moves
/// `offset`. `offset` < 0 starts at most 64 KiB before the end.
std::string readLog(Cluster& cluster, const tracking::Store& store, const std::string& runId,
                    std::int64_t& offset);

enum class PullScope { Clips, Checkpoints, All };
/// Copies a run's files to <mirror>/<run-id>/; returns how many files came. Clips for which the mirror has no
/// room, those of the earliest steps, do not come (see `MirrorBudget`).
int pullRun(Cluster& cluster, tracking::Store& store, const std::filesystem::path& mirror,
            const std::string& runId, PullScope what, const Progress& progress = {},
            std::stop_token stop = {}, std::optional<MirrorLimits> limits = {});

}  // namespace dailies::remote
