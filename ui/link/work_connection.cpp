#include "ui/link/work_connection.h"

#include "core/log/log.h"
#include "remote/launch/launch.h"
#include "remote/service/follow_service.h"
#include "remote/ssh/session_error.h"

#include <algorithm>

namespace dailies::ui {

namespace {

using namespace std::chrono_literals;
using remote::ssh::isConnectionError;

/// Login nodes and firewalls end sessions that are silent for minutes; signing in again may need a person.
constexpr auto kKeepAlive = 30s;

}  // namespace

WorkConnection::WorkConnection(std::filesystem::path storeFile, std::shared_future<StoreOpening> storeOpening,
                               LinkListener& listener, remote::ssh::Prompter& prompter)
    : m_storeFile(std::move(storeFile)),
      m_storeOpening(std::move(storeOpening)),
      m_listener(listener),
      m_prompter(prompter),
      m_lane(*this) {}

// ---- GUI thread

void WorkConnection::join(const std::shared_ptr<const FollowedCluster>& cluster) {
    if (target().cluster && !isElsewhere(cluster->info.profile)) return;  // it was only lost meanwhile
    setTarget(cluster);
}

void WorkConnection::leave() {
    if (target().cluster) setTarget(nullptr);
}

bool WorkConnection::isElsewhere(const remote::ClusterProfile& profile) const {
    const auto joined = target().cluster;
    return joined && joined->info.profile != profile;
}

void WorkConnection::setTarget(std::shared_ptr<const FollowedCluster> cluster) {
    {
        const std::lock_guard lock(m_mutex);
        m_target.cluster = std::move(cluster);
        ++m_target.visit;
    }
    // Stopped, and not aborted: a build that is given up still has to be cancelled over its session.
    m_lane.stopCurrent();
    m_lane.ask([this](std::stop_token) {
        if (m_opened != target().cluster) close();
    });
}

WorkConnection::Target WorkConnection::target() const {
    const std::lock_guard lock(m_mutex);
    return m_target;
}

void WorkConnection::ask(Work work, std::function<void(const Error&)> failed, std::function<void()> stopped) {
    Request request{std::move(work), std::move(failed), std::move(stopped)};
    m_lane.ask([this, request = std::move(request), visit = target().visit](std::stop_token stop) {
        serve(request, visit, stop);
    });
}

void WorkConnection::resumeLaunches() {
    m_lane.ask([this, visit = target().visit](std::stop_token stop) {
        openStore();
        if (target().visit != visit || !hasLaunchesToResume()) return;  // another one has done it
        require(visit, stop);
        settleLaunches(stop);
    });
}

void WorkConnection::abandon() {
    m_lane.end();
    const std::lock_guard lock(m_mutex);
    if (m_session) m_session->abort();
}

// ---- its thread

void WorkConnection::serve(const Request& request, std::int64_t visit, const std::stop_token& stop) {
    try {
        require(visit, stop);
        request.work(*m_cluster, *m_store, stop);
    } catch (const Cancelled&) {
        if (request.stopped) request.stopped();
    } catch (const Error& error) {
        log::warning("link", "long work failed: " + error.full());
        request.failed ? request.failed(error) : m_listener.onFailed(error);
        if (isConnectionError(error)) lost();
    } catch (const std::exception& error) {
        log::error("link", std::string("long work failed unexpectedly: ") + error.what());
        request.failed ? request.failed(Error(error.what())) : m_listener.onFailed(Error(error.what()));
    }
    m_nextKeepAlive = Clock::now() + kKeepAlive;
}

/// The store and the connection to the cluster where the request was asked for.
void WorkConnection::require(std::int64_t visit, const std::stop_token& stop) {
    openStore();
    const auto wanted = target();
    if (!wanted.cluster || wanted.visit != visit) throw notConnectedError();
    if (m_opened != wanted.cluster) close();
    if (m_cluster) {
        try {
            m_cluster->session().keepAlive();  // it may have been lost while nothing was asked
        } catch (const Error&) {
            close();
        }
    }
    if (!m_cluster) open(*wanted.cluster, stop);
    m_opened = wanted.cluster;
}

void WorkConnection::openStore() {
    m_storeOpening.get().requireWritable(m_storeFile);
    if (!m_store) m_store.emplace(m_storeFile);
}

void WorkConnection::open(const FollowedCluster& followed, const std::stop_token& stop) {
    auto cluster = std::make_unique<remote::Cluster>(
        followed.info.profile, m_prompter, [this](const std::string& line) { m_listener.onProgress(line); },
        stop);
    cluster->shareCalls(followed.calls);
    m_cluster = std::move(cluster);
    {
        const std::lock_guard lock(m_mutex);
        m_session = &m_cluster->session();
    }
    m_nextAttempt.reset();
    m_failures = 0;
    settleLaunches(stop);
}

/// Here and never on the following thread, which would take a launch that this one is about to submit for one
/// that was cut off, and submit it again.
void WorkConnection::settleLaunches(const std::stop_token& stop) {
    remote::settleLaunches(
        *m_cluster, *m_store, [this](const std::string& line) { m_listener.onProgress(line); },
        [this](const Error& error) { m_listener.onFailed(error); }, stop);
}

void WorkConnection::close() {
    {
        const std::lock_guard lock(m_mutex);
        m_session = nullptr;
    }
    m_cluster.reset();
    m_opened.reset();
    m_nextAttempt.reset();
}

void WorkConnection::lost() {
    close();
    if (hasLaunchesToResume()) m_nextAttempt = Clock::now() + remote::reconnectDelay(m_failures++);
}

bool WorkConnection::hasLaunchesToResume() const {
    const auto joined = target().cluster;
    return m_store && joined && remote::hasLaunchesToResume(*m_store, joined->info.profile.name);
}

WorkConnection::Clock::time_point WorkConnection::due() const {
    if (m_nextAttempt) return *m_nextAttempt;
    return m_cluster ? m_nextKeepAlive : Clock::now() + 1h;
}

void WorkConnection::runDue(std::stop_token stop) {
    m_nextKeepAlive = Clock::now() + kKeepAlive;
    if (m_nextAttempt) {
        m_nextAttempt.reset();
        if (target().cluster) require(target().visit, stop);
    } else if (m_cluster) {
        m_cluster->session().keepAlive();
    }
}

/// Of what it does by itself: nobody waits for it, and the next request says what is wrong.
void WorkConnection::onError(const Error& error) {
    if (isConnectionError(error)) {
        lost();
    } else {
        m_listener.onFailed(error);
    }
}

}  // namespace dailies::ui
