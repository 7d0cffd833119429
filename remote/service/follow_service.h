#pragma once

#include "core/tracking/store.h"
#include "remote/cluster/cluster.h"
#include "remote/cluster/poll_rate_limiter.h"
#include "remote/follow/follow.h"

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>

namespace dailies::remote {

/// Brings the store up to date with a cluster, in rounds that leave Slurm alone as its user asks for. Blocks;
/// one thread. What breaks is thrown, and the next round is due at its usual time all the same.
class FollowService {
public:
    using Clock = PollRateLimiter::Clock;

    /// `cluster` and `store` must outlive it. `calls`: of the user, whatever connection asks. `idleInterval`:
    /// between two rounds while no run is active, unless it is shorter than the usual one.
    FollowService(Cluster& cluster, tracking::Store& store, std::shared_ptr<PollRateLimiter> calls,
                  Clock::duration idleInterval = {});

    Clock::time_point nextPoll() const { return m_nextPoll; }
    void pollSoon() { m_nextPoll = Clock::now(); }
    /// One round, whether it is due or not. Clips are left to `fetchClips`.
    FollowReport poll(std::stop_token stop);

    bool hasMoreClips() const { return m_moreClips; }
    /// Some of the clips that wait; asks nothing else. Adds to the report what changed.
    void fetchClips(FollowReport& report, std::stop_token stop);
    ClipMirror& clips() { return m_follower.clips(); }

private:
    Cluster& m_cluster;
    Follower m_follower;
    const std::shared_ptr<PollRateLimiter> m_calls;
    const Clock::duration m_interval, m_idleInterval;
    Clock::time_point m_nextPoll;
    bool m_moreClips = false;  ///< wait to be fetched
};

/// Settles launches of which nobody knows whether they were submitted (`resumeLaunches`). What the cluster
/// refuses is told to `failed` and keeps nothing else from going on; a lost connection is thrown.
void settleLaunches(Cluster& cluster, tracking::Store& store, const Progress& progress,
                    const std::function<void(const Error&)>& failed, std::stop_token stop = {});

/// How long until a lost connection is tried again: 1, 2, 4 … 60 s, ± a quarter so that a room of desktops
/// does not return at once.
std::chrono::milliseconds reconnectDelay(int failures);

/// Whether nothing is to come of runs that have ended: no further run of their sweeps, no sample of their
/// checkpoints, and no clip.
bool isComplete(const FollowReport& report);

/// What to follow, and until when.
struct FollowTask {
    std::function<std::unique_ptr<Cluster>()> connect = {};  ///< also again, when the connection was lost
    std::unique_ptr<Cluster> cluster = {};                   ///< where it is connected already
    std::function<bool(const FollowReport&)> done = {};      ///< asked after each round
    bool once = false;                                       ///< one round, done or not
    /// Where another Dailies has the store and so follows it: look at what that one writes until `done`, and
    /// go on in its place when it ends. Otherwise `StoreReadOnlyError` is thrown.
    bool watchIfFollowed = false;
    Progress progress = {};
};

/// Follows, holding the store's lock: settles launches after every connect, fetches clips between the rounds,
/// connects again by itself, and outlasts a slurmctld that is silent. Throws what else goes wrong, and
/// `Cancelled` when stopped.
void followUntilDone(FollowTask task, const ClusterProfile& profile, tracking::Store& store,
                     std::stop_token stop = {});

}  // namespace dailies::remote
