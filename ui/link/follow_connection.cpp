#include "ui/link/follow_connection.h"

#include "core/log/log.h"
#include "core/tracking/store_read_only_error.h"
#include "remote/cluster/snapshot_cache.h"
#include "remote/launch/launch.h"
#include "remote/service/follow_service.h"
#include "remote/ssh/session_error.h"

#include <algorithm>

namespace dailies::ui {

namespace {

using namespace std::chrono_literals;
using remote::ssh::isConnectionError;

constexpr auto kStoreLook = 1s;  ///< how often the store is looked at for other programs' writes
constexpr auto kIdlePoll = 30s;  ///< with no active run there is little to follow
constexpr auto kLook = 12s;      ///< how often the queue is looked at while somebody sees it
constexpr auto kNodes = 60s;     ///< the same for the nodes
constexpr auto kKeep = 60s;      ///< how often what was seen is kept for the next session

}  // namespace

FollowConnection::FollowConnection(std::filesystem::path storeFile, LinkListener& listener,
                                   remote::ssh::Prompter& prompter)
    : m_storeFile(std::move(storeFile)),
      m_listener(listener),
      m_prompter(prompter),
      m_opening(m_openingPromise.get_future().share()),
      m_lane(*this) {}

void FollowConnection::abandon() {
    m_lane.end();
    const std::lock_guard lock(m_sessionMutex);
    if (m_session) m_session->abort();
}

void FollowConnection::connectTo(const remote::ClusterProfile& profile) {
    m_lane.askSoon([this, profile](std::stop_token stop) {
        close();
        m_profile.reset();
        m_failures = 0;
        try {
            open(profile, false, stop);
            m_profile = profile;
        } catch (const Error& error) {
            log::error("link", "cluster " + profile.name + " was not opened: " + error.full());
            close();
            enter(ConnectionState::Offline);
            m_listener.onConnectionFailed(error);
        } catch (const Cancelled&) {
            enter(ConnectionState::Offline);
        }
    });
}

void FollowConnection::leave() {
    m_lane.askSoon([this](std::stop_token) {
        m_profile.reset();
        close();
        enter(ConnectionState::Offline);
    });
}

// ---- for requests

remote::Cluster& FollowConnection::requireCluster() {
    StoreOpening{m_store.has_value(), m_readOnlyReason}.requireWritable(m_storeFile);
    if (!m_cluster) throw notConnectedError();
    return *m_cluster;
}

void FollowConnection::pollSoon() {
    if (m_following) m_following->pollSoon();
}

void FollowConnection::pollOrConnectNow() {
    pollSoon();
    m_nextAttempt = Clock::now();
}

void FollowConnection::lookAtAllSoon() {
    if (m_calls) m_nextLook = m_nextNodes = m_calls->next(Clock::now(), 0s);
}

/// What the work connection or another program wrote meanwhile must not pass for seen: then any run may have
/// something new. (A commit between the two readings is told twice.)
void FollowConnection::notifyRunsChanged(const std::set<std::string>& changedRuns) {
    const auto version = m_store->dataVersion();
    const auto others = m_store->othersVersion();
    if (others != m_seenOthers) {
        m_listener.onRunsChanged({});
    } else if (!changedRuns.empty()) {
        m_listener.onRunsChanged({changedRuns.begin(), changedRuns.end()});
    }
    m_seenVersion = version;
    m_seenOthers = others;
}

// ---- its thread

void FollowConnection::begin() {
    try {
        openStore();
    } catch (const Error& error) {
        m_listener.onFailed(error);
    }
    m_openingPromise.set_value({m_store.has_value(), m_readOnlyReason});
    m_listener.onStoreOpened(m_readOnlyReason);
}

void FollowConnection::openStore() {
    try {
        m_lock.emplace(m_storeFile);
        m_store.emplace(m_storeFile);
    } catch (const tracking::StoreReadOnlyError& error) {
        m_readOnlyReason = error.full();
        m_lock.reset();
        m_store.emplace(m_storeFile, tracking::Store::Mode::ReadOnly);
    }
    m_seenOthers = m_store->othersVersion();
    m_seenVersion = m_store->dataVersion();
}

FollowConnection::Clock::time_point FollowConnection::due() const {
    const auto storeLook = Clock::now() + kStoreLook;
    if (m_following && m_following->hasMoreClips()) return Clock::now();
    if (m_following) {
        const auto nextPoll = m_following->nextPoll();
        return std::min(storeLook, m_watched ? std::min(nextPoll, m_nextLook) : nextPoll);
    }
    return m_profile ? std::min(storeLook, m_nextAttempt) : storeLook;
}

void FollowConnection::runDue(std::stop_token stop) {
    const auto now = Clock::now();
    if (m_following && now >= m_following->nextPoll()) {
        follow(stop);
    } else if (m_following && m_watched && now >= m_nextLook) {
        look(stop);
    } else if (m_following && m_following->hasMoreClips()) {
        fetchMore(stop);
    } else if (m_profile && !m_cluster && now >= m_nextAttempt) {
        reconnect(stop);
    }
}

void FollowConnection::onError(const Error& error) {
    isConnectionError(error) && m_profile ? lost() : m_listener.onFailed(error);
}

void FollowConnection::enter(ConnectionState state) {
    std::shared_ptr<FollowedCluster> followed;
    if (m_cluster && state == ConnectionState::Connected)
        followed = std::make_shared<FollowedCluster>(
            FollowedCluster{{m_cluster->profile(), m_cluster->facts(), m_cluster->workspace()}, m_calls});
    m_listener.onStateChanged(state, followed);
}

void FollowConnection::open(const remote::ClusterProfile& profile, bool again, std::stop_token stop) {
    StoreOpening{m_store.has_value(), m_readOnlyReason}.requireWritable(m_storeFile);
    enter(again ? ConnectionState::Reconnecting : ConnectionState::Connecting);
    m_cluster = std::make_unique<remote::Cluster>(
        profile, m_prompter, [this](const std::string& line) { m_listener.onProgress(line); }, stop);
    {
        const std::lock_guard lock(m_sessionMutex);
        m_session = &m_cluster->session();
    }
    m_failures = 0;
    // connecting again asks Slurm as often as before, and the work connection may be asking it, too
    if (!m_calls || m_callsOf != profile) {
        m_calls = std::make_shared<remote::PollRateLimiter>(profile.callsPerMinute);
        m_callsOf = profile;
    }
    m_following = std::make_unique<remote::FollowService>(*m_cluster, *m_store, m_calls, kIdlePoll);
    m_nodes.clear();
    m_nextLook = m_nextNodes = Clock::now();
    enter(ConnectionState::Connected);
    if (remote::hasLaunchesToResume(*m_store, profile.name)) m_listener.onLaunchesToResume();
}

void FollowConnection::close() {
    {
        const std::lock_guard lock(m_sessionMutex);
        m_session = nullptr;
    }
    m_following.reset();
    m_cluster.reset();
}

void FollowConnection::lost() {
    close();
    const auto wait = remote::reconnectDelay(m_failures++);
    m_nextAttempt = Clock::now() + wait;
    log::info("link", "connecting to cluster " + m_profile->name + " again in " +
                          std::to_string(wait.count()) + " ms");
    enter(ConnectionState::Reconnecting);
}

void FollowConnection::reconnect(std::stop_token stop) {
    try {
        open(*m_profile, true, stop);
    } catch (const Error& error) {
        if (!isConnectionError(error)) {
            // A refused key or a missing workspace does not mend itself: the person decides what to do.
            m_profile.reset();
            enter(ConnectionState::Offline);
        }
        throw;
    } catch (const Cancelled&) {
        m_profile.reset();
        enter(ConnectionState::Offline);
    }
}

void FollowConnection::follow(std::stop_token stop) {
    const auto report = m_following->poll(stop);
    for (const auto& note : report.notes) m_listener.onProgress(note);
    for (const auto& alert : report.alerts) m_listener.onAlert(alert);
    notifyRunsChanged(report.changedRuns);
}

void FollowConnection::fetchMore(std::stop_token stop) {
    m_lane.makeWay();
    remote::FollowReport report;
    m_following->fetchClips(report, stop);
    if (!report.changedRuns.empty()) notifyRunsChanged(report.changedRuns);
}

void FollowConnection::look(std::stop_token stop) {
    const auto begin = Clock::now();
    const bool withNodes = begin >= m_nextNodes;
    m_nextLook = begin + kLook;  // also when it fails
    auto& cluster = requireCluster();
    const std::string answer =
        m_calls->measure([&] { return cluster.scheduler().snapshot(cluster.workspace(), withNodes, stop); });
    auto view = std::make_shared<remote::ClusterView>(remote::viewOf(cluster));
    view->snapshot = remote::slurm::parseSnapshot(answer);
    view->jobsOn = remote::slurm::jobsByNode(view->snapshot.jobs);
    if (withNodes) {
        m_nodes = view->snapshot.nodes;
        m_nextNodes = begin + kNodes;
    } else {
        view->snapshot.nodes = m_nodes;
        view->snapshot.hasNodes = true;
    }
    m_nextLook = m_calls->next(begin, kLook);
    m_listener.onViewUpdated(view, m_calls->callsInLastMinute(Clock::now()));
    if (withNodes && begin >= m_nextKeep) {
        m_nextKeep = begin + kKeep;
        remote::saveSnapshot(m_storeFile, *view, answer);
    }
}

void FollowConnection::afterEach() {
    if (!m_store) return;
    try {
        if (m_store->dataVersion() != m_seenVersion) {
            m_seenOthers = m_store->othersVersion();
            m_seenVersion = m_store->dataVersion();
            m_listener.onRunsChanged({});
        }
    } catch (const Error& error) {
        m_listener.onFailed(error);
        close();
        m_profile.reset();
        m_store.reset();
        enter(ConnectionState::Offline);
    }
}

}  // namespace dailies::ui
