#pragma once

#include "core/tracking/store.h"
#include "remote/cluster/cluster.h"
#include "ui/link/lane.h"
#include "ui/link/link_listener.h"
#include "ui/link/requirements.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>

namespace dailies::ui {

/// The connection that does what takes long (builds, launches, copies, measurements) to the cluster that is
/// followed, one request behind the other, with a session and a handle of the store of its own: whatever
/// becomes of it, following goes on.
///
/// It signs in when it is first needed and stays. When it is lost, the request that was under way fails, and
/// the next one signs in again; where a launch may have been cut off between its record and Slurm's answer,
/// it signs in by itself and settles that.
class WorkConnection final : private Lane::Owner {
public:
    using Work = std::function<void(remote::Cluster&, tracking::Store&, std::stop_token)>;

    /// `storeOpening`: the store is opened here once it was opened there, with its lock.
    WorkConnection(std::filesystem::path storeFile, std::shared_future<StoreOpening> storeOpening,
                   LinkListener& listener, remote::ssh::Prompter& prompter);
    ~WorkConnection() { abandon(); }

    // -- the GUI thread
    /// This cluster is followed from now on; what was asked for another is stopped, or fails.
    void join(const std::shared_ptr<const FollowedCluster>& cluster);
    void leave();  ///< the same for no cluster
    /// Whether it is joined to a cluster that is reached in another way.
    bool isElsewhere(const remote::ClusterProfile& profile) const;
    /// `failed` is told in the place of `LinkListener::onFailed`; all three are called on the thread.
    void ask(Work work, std::function<void(const Error&)> failed = {}, std::function<void()> stopped = {});
    void resumeLaunches();
    void stopCurrent() { m_lane.stopCurrent(); }
    void abandon();  ///< what is under way, for ever; does not wait

    /// Its thread, for requests that failed: whether a launch that was recorded waits to be sent.
    bool hasLaunchesToResume() const;

private:
    using Clock = Lane::Clock;

    struct Request {
        Work work;
        std::function<void(const Error&)> failed;
        std::function<void()> stopped;
    };

    /// What it is joined to.
    struct Target {
        std::shared_ptr<const FollowedCluster> cluster;  ///< null: nothing
        std::int64_t visit = 0;  ///< grows with each: a request is done where it was asked for, or not at all
    };

    Clock::time_point due() const override;
    void runDue(std::stop_token stop) override;
    void onError(const Error& error) override;
    void end() override { close(); }

    void setTarget(std::shared_ptr<const FollowedCluster> cluster);
    Target target() const;
    void serve(const Request& request, std::int64_t visit, const std::stop_token& stop);
    void require(std::int64_t visit, const std::stop_token& stop);
    void openStore();
    void open(const FollowedCluster& followed, const std::stop_token& stop);
    void settleLaunches(const std::stop_token& stop);
    void close();
    void lost();

    const std::filesystem::path m_storeFile;
    const std::shared_future<StoreOpening> m_storeOpening;
    LinkListener& m_listener;
    remote::ssh::Prompter& m_prompter;

    mutable std::mutex m_mutex;
    Target m_target;                            ///< under the mutex
    remote::ssh::Session* m_session = nullptr;  ///< under the mutex: to abort a blocked call at the end

    // its thread
    std::optional<tracking::Store> m_store;
    std::unique_ptr<remote::Cluster> m_cluster;
    std::shared_ptr<const FollowedCluster> m_opened;  ///< of which `m_cluster` is
    Clock::time_point m_nextKeepAlive;
    std::optional<Clock::time_point> m_nextAttempt;  ///< where it signs in by itself
    int m_failures = 0;

    Lane m_lane;  ///< last: its thread uses everything above
};

}  // namespace dailies::ui
