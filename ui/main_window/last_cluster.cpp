#include "ui/main_window/last_cluster.h"

#include "ui/bridge/run_async.h"
#include "ui/main_window/settings.h"

#include <utility>

namespace dailies::ui {

LastCluster::LastCluster(ProfileList& profiles, ClusterWorker& worker, QObject* parent)
    : QObject(parent), m_profiles(profiles), m_worker(worker) {
    connect(&m_worker, &ClusterWorker::stateChanged, this, [this](ConnectionState state) {
        if (state == ConnectionState::Connected) remember(m_worker.clusterName());
    });
    connect(&m_worker, &ClusterWorker::left, this, [this] { remember({}); });
    connect(&m_worker, &ClusterWorker::storeOpened, this, [this] {
        m_storeOpened = true;
        connectOnce();
    });
    connect(&m_profiles, &ProfileList::changed, this, &LastCluster::connectOnce);
}

void LastCluster::reconnect() {
    runAsync(
        this, [](std::stop_token) { return loadSettings().lastCluster; },
        [this](const std::string& name) {
            m_wanted = name;
            connectOnce();
        },
        [](const Error&) {});
}

void LastCluster::connectOnce() {
    if (m_wanted.empty() || !m_storeOpened || !m_profiles.loaded()) return;
    const auto profile = m_profiles.find(std::exchange(m_wanted, {}));
    // Somebody may have been quicker.
    const bool idle = m_worker.state() == ConnectionState::Offline && m_worker.clusterName().empty();
    if (profile && idle && m_worker.readOnly().empty()) m_worker.connectTo(*profile);
}

void LastCluster::remember(const std::string& name) {
    runAsync(
        this,
        [name](std::stop_token) {
            if (loadSettings().lastCluster != name)
                changeSettings([&name](Settings& settings) { settings.lastCluster = name; });
        },
        [] {}, [](const Error&) {});  // as with all settings, nothing but the memory is lost
}

}  // namespace dailies::ui
