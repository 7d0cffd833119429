#pragma once

#include "core/tracking/store.h"
#include "core/tracking/store_lock.h"
#include "remote/cluster/cluster.h"
#include "remote/service/follow_service.h"
#include "ui/link/lane.h"
#include "ui/link/link_listener.h"
#include "ui/link/requirements.h"

#include <cstdint>
#include <filesystem>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace dailies::ui {

/// The connection that follows the runs into the store, fetches their clips, looks at the cluster while
/// somebody sees it, and does in between what is done in a moment. When it is lost it tries again by itself.
/// It also looks every second whether another program, or another thread of this one, changed the store.
///
/// It holds the store's lock. Where another desktop has it, or the file cannot be written, this program only
/// reads: nothing is connected, and what others write is noticed as always.
class FollowConnection final : private Lane::Owner {
public:
    /// Both must outlive it.
    FollowConnection(std::filesystem::path storeFile, LinkListener& listener,
                     remote::ssh::Prompter& prompter);
    ~FollowConnection() { abandon(); }

    // -- any thread
    Lane& lane() { return m_lane; }
    /// How opening the store went, as soon as it is known.
    std::shared_future<StoreOpening> storeOpening() const { return m_opening; }
    void connectTo(const remote::ClusterProfile& profile);
    void leave();
    void abandon();  ///< what is under way, for ever; does not wait

    // -- its thread, for requests
    remote::Cluster& requireCluster();  ///< throws `Error` that says what is missing
    remote::Cluster* cluster() const { return m_cluster.get(); }        ///< null unless connected
    tracking::Store* store() { return m_store ? &*m_store : nullptr; }  ///< null where it could not be opened
    remote::ClipMirror& clips() { return m_following->clips(); }        ///< while connected
    remote::PollRateLimiter& calls() { return *m_calls; }               ///< while connected
    const std::string& readOnlyReason() const { return m_readOnlyReason; }
    void pollSoon();
    /// Also where connecting waits for its time.
    void pollOrConnectNow();
    void lookSoon() { m_nextLook = Clock::now(); }  ///< at the cluster
    void lookAtAllSoon();                           ///< and its nodes, as soon as the user's ceiling allows
    void setWatched(bool watched) { m_watched = watched; }
    void notifyRunsChanged(const std::set<std::string>& changedRuns);  ///< what this thread wrote of them

private:
    using Clock = Lane::Clock;

    void begin() override;
    Clock::time_point due() const override;
    void runDue(std::stop_token stop) override;
    void afterEach() override;
    void onError(const Error& error) override;
    void end() override { close(); }

    void openStore();
    void open(const remote::ClusterProfile& profile, bool again, std::stop_token stop);
    void close();
    void lost();
    void reconnect(std::stop_token stop);
    void follow(std::stop_token stop);
    void fetchMore(std::stop_token stop);
    void look(std::stop_token stop);
    void enter(ConnectionState state);

    const std::filesystem::path m_storeFile;
    LinkListener& m_listener;
    remote::ssh::Prompter& m_prompter;
    std::promise<StoreOpening> m_openingPromise;
    const std::shared_future<StoreOpening> m_opening;

    std::mutex m_sessionMutex;
    remote::ssh::Session* m_session = nullptr;  ///< under the mutex: to abort a blocked call at the end

    // its thread
    std::optional<tracking::StoreLock> m_lock;
    std::optional<tracking::Store> m_store;
    std::string m_readOnlyReason;
    std::optional<remote::ClusterProfile> m_profile;  ///< to which it connects again when it is lost
    std::unique_ptr<remote::Cluster> m_cluster;
    std::unique_ptr<remote::FollowService> m_following;  ///< while connected
    std::shared_ptr<remote::PollRateLimiter> m_calls;
    remote::ClusterProfile m_callsOf;  ///< whose ceiling that is
    Clock::time_point m_nextAttempt;
    bool m_watched = false;
    Clock::time_point m_nextLook, m_nextNodes, m_nextKeep;
    std::vector<remote::slurm::Node> m_nodes;  ///< as last asked for: they change slowly
    int m_failures = 0;
    std::int64_t m_seenVersion = 0, m_seenOthers = 0;

    Lane m_lane;  ///< last: its thread uses everything above
};

}  // namespace dailies::ui
