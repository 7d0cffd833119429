#include "ui/link/cluster_worker.h"

#include "core/base/text.h"
#include "core/base/thread_priority.h"
#include "core/log/log.h"
#include "core/tracking/store_read_only_error.h"
#include "remote/launch/launch.h"
#include "remote/ssh/session_error.h"
#include "ui/widgets/run_text.h"

#include <algorithm>
#include <random>

namespace dailies::ui {

namespace {

using namespace std::chrono_literals;
using remote::ssh::isConnectionError;

constexpr auto kStoreLook = 1s;  ///< how often the store is looked at for other programs' writes
constexpr auto kIdlePoll = 30s;  ///< with no active run there is little to follow
constexpr auto kLongestBackoff = 60s;
constexpr auto kLook = 12s;   ///< how often the queue is looked at while somebody sees it
constexpr auto kNodes = 60s;  ///< the same for the nodes
constexpr auto kKeep = 60s;   ///< how often what was seen is kept for the next session

std::chrono::milliseconds backoff(int failures) {
    static std::minstd_rand random{std::random_device{}()};
    const auto base = std::min<std::chrono::milliseconds>(1s * (1 << std::min(failures, 6)), kLongestBackoff);
    return base * std::uniform_int_distribution<int>(75, 125)(random) / 100;
}

}  // namespace

ClusterWorker::ClusterWorker(std::filesystem::path storeFile, QObject* parent)
    : QObject(parent), m_storeFile(std::move(storeFile)) {
    m_thread = std::jthread([this](std::stop_token stop) { work(stop); });
}

ClusterWorker::~ClusterWorker() {
    m_prompts.close();
    m_thread.request_stop();
    {
        const std::lock_guard lock(m_mutex);
        m_current.request_stop();
        if (m_session) {
            m_session->abort();
        }
    }
    m_thread.join();
}

// ---- GUI thread

void ClusterWorker::enqueue(Request request) {
    {
        const std::lock_guard lock(m_mutex);
        m_requests.push_back(std::move(request));
    }
    m_wake.notify_all();
}

void ClusterWorker::enqueueFirst(Request request) {
    {
        const std::lock_guard lock(m_mutex);
        m_requests.push_front(std::move(request));
        if (m_interruptible) m_current.request_stop();
    }
    m_wake.notify_all();
}

void ClusterWorker::post(std::function<void()> onGui) {
    // The destructor joins the thread first, so `this` outlives every call here; what is still queued then
    // dies with it.
    QMetaObject::invokeMethod(this, std::move(onGui), Qt::QueuedConnection);
}

void ClusterWorker::connectTo(const remote::ClusterProfile& profile) {
    m_clusterName = profile.name;
    enqueue([this, profile](std::stop_token stop) {
        closeLink();
        m_profile.reset();
        m_failures = 0;
        try {
            open(profile, false, stop);
            m_profile = profile;
        } catch (const Error& error) {
            log::error("link", "cluster " + profile.name + " was not opened: " + error.full());
            enter(ConnectionState::Offline);
            post([this, error] { emit connectionFailed(error); });
        } catch (const Cancelled&) {
            enter(ConnectionState::Offline);
        }
    });
}

void ClusterWorker::test(const remote::ClusterProfile& profile) {
    enqueue([this, profile](std::stop_token stop) {
        const auto findings = remote::checkCluster(
            profile, m_prompts,
            [this](const remote::ClusterFinding& finding) { post([this, finding] { emit found(finding); }); },
            stop);
        post([this, verdict = remote::worstVerdict(findings)] { emit tested(verdict); });
    });
}

void ClusterWorker::goOffline() {
    stopWork();
    emit left();
    enqueue([this](std::stop_token) {
        m_profile.reset();
        closeLink();
        enter(ConnectionState::Offline);
    });
}

void ClusterWorker::stopWork() {
    m_prompts.refuse();
    const std::lock_guard lock(m_mutex);
    m_current.request_stop();
}

// ---- worker thread

void ClusterWorker::reportProgress(const std::string& line) {
    log::info("link", line);
    post([this, text = QString::fromStdString(line)] { emit progress(text); });
}

void ClusterWorker::enter(ConnectionState state) {
    std::optional<ClusterInfo> info;
    if (m_cluster && state == ConnectionState::Connected) {
        info = ClusterInfo{m_cluster->profile(), m_cluster->facts(), m_cluster->workspace()};
    }
    post([this, state, info = std::move(info)] {
        m_state = state;
        m_info = info;
        emit stateChanged(state);
    });
}

remote::Cluster& ClusterWorker::requireCluster() {
    requireWritable();
    if (!m_store) {
        throw Error("the tracking store " + m_storeFile.string() + " could not be opened",
                    "See the first message of this session, and start Dailies with another --store.");
    }
    if (!m_cluster) {
        throw Error("there is no connection to a cluster", "Connect on the Cluster page, then try again.");
    }
    return *m_cluster;
}

void ClusterWorker::openStore() {
    try {
        m_lock.emplace(m_storeFile);
        m_store.emplace(m_storeFile);
    } catch (const tracking::StoreReadOnlyError& error) {
        m_readOnlyReason = error.full();
        m_lock.reset();
        m_store.emplace(m_storeFile, tracking::Store::Mode::ReadOnly);
    }
    m_seenVersion = m_store->dataVersion();
}

/// Two desktops on one store would both follow its runs and both decide for its sweeps.
void ClusterWorker::requireWritable() const {
    if (!m_readOnlyReason.empty()) {
        throw Error("Can't use a cluster while the database is read-only. " + m_readOnlyReason,
                    "Start this program again once the store can be written.");
    }
}

void ClusterWorker::work(std::stop_token stop) {
    lowerThreadPriority();
    try {
        openStore();
    } catch (const Error& error) {
        post([this, error] { emit failed(error); });
    }
    post([this, why = m_readOnlyReason] {
        m_readOnly = why;
        emit storeOpened();
    });
    while (!stop.stop_requested()) {
        Request request;
        {
            std::unique_lock lock(m_mutex);
            auto until = Clock::now() + kStoreLook;
            if (m_cluster && m_moreClips) {
                until = Clock::now();
            } else if (m_cluster) {
                until = std::min(until, m_watched ? std::min(m_nextPoll, m_nextLook) : m_nextPoll);
            } else if (m_profile) {
                until = std::min(until, m_nextAttempt);
            }
            m_wake.wait_until(lock, stop, until, [this] { return !m_requests.empty(); });
            m_current = {};
            m_interruptible = false;
            if (!m_requests.empty()) {
                request = std::move(m_requests.front());
                m_requests.pop_front();
            }
        }
        if (stop.stop_requested()) {
            break;
        }
        if (request) {
            serve(request);
        } else if (m_cluster && Clock::now() >= m_nextPoll) {
            serve([this](std::stop_token token) { follow(token); });
        } else if (m_cluster && m_watched && Clock::now() >= m_nextLook) {
            serve([this](std::stop_token token) { pollClusterView(token); });
        } else if (m_cluster && m_moreClips) {
            serve([this](std::stop_token token) { fetchMore(token); });
        } else if (m_profile && !m_cluster && Clock::now() >= m_nextAttempt) {
            serve([this](std::stop_token token) { reconnect(token); });
        }
        detectStoreChanges();
    }
    closeLink();
}

void ClusterWorker::serve(const Request& request) {
    std::stop_token token;
    {
        const std::lock_guard lock(m_mutex);
        token = m_current.get_token();
    }
    try {
        request(token);
    } catch (const Cancelled&) {
        // asked for
    } catch (const Error& error) {
        log::warning("link", "a request failed: " + error.full());
        if (isConnectionError(error) && m_profile) {
            lost();
        } else {
            post([this, error] { emit failed(error); });
        }
    } catch (const std::exception& error) {
        log::error("link", std::string("a request failed unexpectedly: ") + error.what());
        post([this, e = Error(error.what())] { emit failed(e); });
    }
}

void ClusterWorker::open(const remote::ClusterProfile& profile, bool again, std::stop_token stop) {
    requireWritable();
    if (!m_store) {
        requireCluster();
    }
    enter(again ? ConnectionState::Reconnecting : ConnectionState::Connecting);
    const auto progress = [this](const std::string& line) { reportProgress(line); };
    auto cluster = std::make_unique<remote::Cluster>(profile, m_prompts, progress, stop);
    try {
        remote::resumeLaunches(*cluster, *m_store, progress, stop);
    } catch (const Error& error) {
        if (isConnectionError(error)) {
            throw;
        }
        post([this, error] {
            emit failed(error);
        });  // a sweep that Slurm refuses must not keep the cluster closed
    }
    m_cluster = std::move(cluster);
    {
        const std::lock_guard lock(m_mutex);
        m_session = &m_cluster->session();
    }
    m_follower = std::make_unique<remote::Follower>(*m_cluster, *m_store, remote::mirrorFolder(m_storeFile));
    m_failures = 0;
    m_rateLimiter = remote::PollRateLimiter(profile.callsPerMinute);
    m_nodes.clear();
    m_nextPoll = m_nextLook = m_nextNodes = Clock::now();
    enter(ConnectionState::Connected);
}

void ClusterWorker::closeLink() {
    {
        const std::lock_guard lock(m_mutex);
        m_session = nullptr;
    }
    m_follower.reset();
    m_cluster.reset();
    m_moreClips = false;
}

void ClusterWorker::lost() {
    closeLink();
    const auto wait = backoff(m_failures++);
    m_nextAttempt = Clock::now() + wait;
    log::info("link", "connecting to cluster " + m_profile->name + " again in " +
                          std::to_string(wait.count()) + " ms");
    enter(ConnectionState::Reconnecting);
}

void ClusterWorker::reconnect(std::stop_token stop) {
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

void ClusterWorker::follow(std::stop_token stop) {
    const auto interval = std::chrono::seconds(std::max(1, m_cluster->profile().pollSeconds));
    const auto begin = Clock::now();
    m_nextPoll = begin + interval;  // also when it fails
    const auto report = m_follower->pollOnce(stop);
    m_moreClips = report.moreClips;
    if (report.activeRuns > 0) {
        m_rateLimiter.recordCall(begin, report.slurmTook);
        m_nextPoll = m_rateLimiter.next(begin, interval);
    }
    for (const auto& note : report.notes) {
        reportProgress(note);
    }
    if (report.activeRuns == 0) {
        m_cluster->session().keepAlive();  // nothing else would notice that the connection is gone
        m_nextPoll = Clock::now() + std::max<std::chrono::seconds>(interval, kIdlePoll);
    }
    notifyRunsChanged(report.changedRuns);
}

void ClusterWorker::notifyRunsChanged(const std::set<std::string>& changedRuns) {
    if (!changedRuns.empty()) {
        std::vector<std::string> ids(changedRuns.begin(), changedRuns.end());
        post([this, ids = std::move(ids)] { emit runsChanged(ids); });
    }
    m_seenVersion = m_store->dataVersion();
}

void ClusterWorker::fetchMore(std::stop_token stop) {
    {
        const std::lock_guard lock(m_mutex);
        m_interruptible = true;
    }
    remote::FollowReport report;
    try {
        m_follower->fetchClips(report, stop);
        m_moreClips = report.moreClips;
    } catch (const Error&) {
        m_moreClips = false;  // the next round of following tries again
        throw;
    }
    if (!report.changedRuns.empty()) {
        notifyRunsChanged(report.changedRuns);
    }
}

void ClusterWorker::pollClusterView(std::stop_token stop) {
    const auto begin = Clock::now();
    const bool withNodes = begin >= m_nextNodes;
    m_nextLook = begin + kLook;  // also when it fails
    auto& cluster = requireCluster();
    const std::string answer = m_rateLimiter.measure(
        [&] { return cluster.scheduler().snapshot(cluster.workspace(), withNodes, stop); });
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
    m_nextLook = m_rateLimiter.next(begin, kLook);
    const int calls = m_rateLimiter.callsInLastMinute(Clock::now());
    post([this, shown = std::shared_ptr<const remote::ClusterView>(view), calls] {
        emit clusterViewUpdated(shown, calls);
    });
    if (withNodes && begin >= m_nextKeep) {
        m_nextKeep = begin + kKeep;
        remote::saveSnapshot(m_storeFile, *view, answer);
    }
}

void ClusterWorker::detectStoreChanges() {
    if (!m_store) {
        return;
    }
    try {
        const auto version = m_store->dataVersion();
        if (version != m_seenVersion) {
            m_seenVersion = version;
            post([this] { emit runsChanged({}); });
        }
    } catch (const Error& error) {
        post([this, error] { emit failed(error); });
        closeLink();
        m_profile.reset();
        m_store.reset();
        enter(ConnectionState::Offline);
    }
}

}  // namespace dailies::ui
