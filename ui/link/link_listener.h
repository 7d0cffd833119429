#pragma once

#include "core/alerts/rules.h"
#include "core/base/error.h"
#include "remote/cluster/poll_rate_limiter.h"
#include "remote/cluster/profile.h"
#include "remote/cluster/snapshot_cache.h"
#include "remote/slurm/scheduler.h"

#include <memory>
#include <string>
#include <vector>

namespace dailies::ui {

enum class ConnectionState { Offline, Connecting, Connected, Reconnecting };

/// What the window shows of the connected cluster.
struct ClusterInfo {
    remote::ClusterProfile profile;
    remote::slurm::ClusterFacts facts;
    std::string workspace;
};

/// The cluster that is followed.
struct FollowedCluster {
    ClusterInfo info;
    std::shared_ptr<remote::PollRateLimiter> calls;  ///< of the user, whatever connection asks
};

/// Hears what the connections have to tell. Called on their threads.
class LinkListener {
public:
    /// `readOnlyReason`: for a person; empty when the store can be written.
    virtual void onStoreOpened(const std::string& readOnlyReason) = 0;
    /// `cluster`: null unless connected.
    virtual void onStateChanged(ConnectionState state,
                                const std::shared_ptr<const FollowedCluster>& cluster) = 0;
    virtual void onConnectionFailed(const Error& error) = 0;
    /// The store holds launches of the cluster of which nobody knows whether they were submitted.
    virtual void onLaunchesToResume() = 0;
    virtual void onRunsChanged(const std::vector<std::string>& runIds) = 0;  ///< none: any may have
    virtual void onViewUpdated(const std::shared_ptr<const remote::ClusterView>& view, int callsInMinute) = 0;
    virtual void onAlert(const alerts::Alert& alert) = 0;
    virtual void onProgress(const std::string& line) = 0;
    virtual void onFailed(const Error& error) = 0;

protected:
    ~LinkListener() = default;
};

}  // namespace dailies::ui
