#include "ui/link/cluster_worker.h"

#include "core/log/log.h"

#include <utility>

namespace dailies::ui {

ClusterWorker::ClusterWorker(std::filesystem::path storeFile, QObject* parent)
    : QObject(parent),
      m_storeFile(std::move(storeFile)),
      m_follow(m_storeFile, *this, m_followPrompter),
      m_work(m_storeFile, m_follow.storeOpening(), *this, m_workPrompter),
      m_tests(*this) {}

ClusterWorker::~ClusterWorker() {
    // all are told before the first is waited for
    m_prompts.close();
    m_follow.abandon();
    m_work.abandon();
    m_tests.lane.end();
}

void ClusterWorker::post(std::function<void()> onGui) {
    // The threads end before `this` does, so it outlives every call here; what is still queued then dies
    // with it.
    QMetaObject::invokeMethod(this, std::move(onGui), Qt::QueuedConnection);
}

// ---- GUI thread

void ClusterWorker::connectTo(const remote::ClusterProfile& profile) {
    m_clusterName = profile.name;
    m_connecting = true;
    if (m_work.isElsewhere(profile)) {
        m_workPrompter.refuse();
        m_work.leave();
    }
    m_follow.connectTo(profile);
}

void ClusterWorker::stopConnecting() {
    m_testPrompter.refuse();
    m_tests.lane.stopCurrent();
    if (!m_connecting && m_state == ConnectionState::Connected) {
        return;  // a poll or a request is under way, and nobody gave that up
    }
    m_followPrompter.refuse();
    m_follow.lane().stopCurrent();
}

void ClusterWorker::test(const remote::ClusterProfile& profile) {
    m_tests.lane.ask([this, profile](std::stop_token stop) {
        const auto findings = remote::checkCluster(
            profile, m_testPrompter,
            [this](const remote::ClusterFinding& finding) { post([this, finding] { emit found(finding); }); },
            stop);
        post([this, verdict = remote::worstVerdict(findings)] { emit tested(verdict); });
    });
}

void ClusterWorker::goOffline() {
    m_followPrompter.refuse();
    m_follow.lane().stopCurrent();
    m_workPrompter.refuse();
    m_work.leave();
    emit left();
    m_follow.leave();
}

void ClusterWorker::stopWork() {
    m_workPrompter.refuse();
    m_work.stopCurrent();
}

// ---- from any thread

void ClusterWorker::onStoreOpened(const std::string& readOnlyReason) {
    post([this, readOnlyReason] {
        m_readOnly = readOnlyReason;
        emit storeOpened();
    });
}

void ClusterWorker::onStateChanged(ConnectionState state,
                                   const std::shared_ptr<const FollowedCluster>& cluster) {
    post([this, state, cluster] {
        m_state = state;
        m_info = cluster ? std::optional(cluster->info) : std::nullopt;
        if (state == ConnectionState::Connected || state == ConnectionState::Offline) m_connecting = false;
        if (cluster) {
            m_work.join(cluster);
        } else if (state == ConnectionState::Offline) {
            m_workPrompter.refuse();
            m_work.leave();
        }
        emit stateChanged(state);
    });
}

void ClusterWorker::onConnectionFailed(const Error& error) {
    post([this, error] { emit connectionFailed(error); });
}

void ClusterWorker::onLaunchesToResume() {
    post([this] { m_work.resumeLaunches(); });
}

void ClusterWorker::onRunsChanged(const std::vector<std::string>& runIds) {
    post([this, runIds] { emit runsChanged(runIds); });
}

void ClusterWorker::onViewUpdated(const std::shared_ptr<const remote::ClusterView>& view, int callsInMinute) {
    post([this, view, callsInMinute] { emit clusterViewUpdated(view, callsInMinute); });
}

void ClusterWorker::onAlert(const alerts::Alert& alert) {
    post([this, alert] { emit alertRaised(alert); });
}

void ClusterWorker::onProgress(const std::string& line) {
    log::info("link", line);
    post([this, text = QString::fromStdString(line)] { emit progress(text); });
}

void ClusterWorker::onFailed(const Error& error) {
    post([this, error] { emit failed(error); });
}

}  // namespace dailies::ui
