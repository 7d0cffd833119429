#include "ui/cluster/alert_watcher.h"

#include "core/alerts/alert_records.h"
#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/http/http_connection.h"
#include "ui/bridge/write_store.h"
#include "ui/cluster/cluster_rows.h"
#include "ui/link/cluster_worker.h"
#include "ui/theme/icons.h"
#include "ui/widgets/widgets.h"

#include <QApplication>
#include <QSystemTrayIcon>

namespace dailies::ui {

namespace {
constexpr int kSoonMs = 3000;  ///< runs change every second while many train
constexpr int kMinuteMs = 60'000;
}  // namespace

AlertWatcher::AlertWatcher(std::filesystem::path storeFile, ClusterWorker& worker, QObject* parent)
    : QObject(parent), m_storeFile(std::move(storeFile)), m_worker(worker) {
    m_soon.setSingleShot(true);
    m_soon.setInterval(kSoonMs);
    m_minute.setInterval(kMinuteMs);
    connect(&m_soon, &QTimer::timeout, this, &AlertWatcher::checkNow);
    connect(&m_minute, &QTimer::timeout, this, &AlertWatcher::checkNow);
    const auto soon = [this] {
        if (!m_soon.isActive()) m_soon.start();
    };
    connect(&m_worker, &ClusterWorker::storeOpened, this, [this, soon] {
        m_minute.start();
        soon();
    });
    connect(&m_worker, &ClusterWorker::runsChanged, this, soon);
    connect(&m_worker, &ClusterWorker::alertRaised, this,
            [this](const alerts::Alert& alert) { tell({alert}); });
    connect(&m_worker, &ClusterWorker::clusterViewUpdated, this,
            [this](const std::shared_ptr<const remote::ClusterView>& view, int) { checkDiskSpace(*view); });
}

void AlertWatcher::checkNow() {
    // A second desktop on the store only reads: the first one tells.
    if (m_looking || !m_worker.readOnly().empty()) {
        return;
    }
    m_looking = true;
    writeStore(
        this, m_storeFile,
        [](tracking::Store& store) { return alerts::collectNewAlerts(store, {}, unixMillis()); },
        [this](const std::vector<alerts::Alert>& found) {
            m_looking = false;
            tell(found);
        },
        [this](const Error& error) {
            m_looking = false;
            m_minute.stop();  // it would fail each minute: what the store lacks is told once
            emit failed(error);
        });
}

void AlertWatcher::checkDiskSpace(const remote::ClusterView& view) {
    const auto& disk = view.snapshot.disk;
    const std::int64_t whole = disk.quotaLimit > 0 ? disk.quotaLimit : disk.used + disk.available;
    const std::int64_t used = disk.quotaLimit > 0 ? disk.quotaUsed : disk.used;
    if (whole <= 0) {
        return;
    }
    const auto alert = alerts::evaluateDisk(
        view.cluster, static_cast<double>(used) / static_cast<double>(whole),
        tr("%1 of %2 are left.").arg(bytesText(whole - used), bytesText(whole)).toStdString(), {},
        unixMillis());
    if (!alert || !m_worker.readOnly().empty()) {
        return;
    }
    writeStore(
        this, m_storeFile, [alert = *alert](tracking::Store& store) { return alerts::raise(store, alert); },
        [this, alert = *alert](bool isNew) {
            if (isNew) tell({alert});
        },
        [this](const Error& error) { emit failed(error); });
}

void AlertWatcher::tell(const std::vector<alerts::Alert>& found) {
    for (const alerts::Alert& alert : found) {
        emit raised(alert);
        if (!QApplication::activeWindow()) notifyDesktop(alert);
        if (!m_webhook.empty()) post(alert);
    }
}

void AlertWatcher::notifyDesktop(const alerts::Alert& alert) {
    if (!QSystemTrayIcon::isSystemTrayAvailable() || !QSystemTrayIcon::supportsMessages()) {
        return;
    }
    if (!m_tray) {
        m_tray = new QSystemTrayIcon(icon(QStringLiteral("runs"), colors().accent), this);
        m_tray->setToolTip(QStringLiteral("Dailies"));
        connect(m_tray, &QSystemTrayIcon::messageClicked, this, [this] {
            if (!m_lastRun.empty()) emit openRunRequested(m_lastRun);
        });
        m_tray->show();
    }
    m_lastRun = alert.runId;
    m_tray->showMessage(
        sanitized(alert.title), sanitized(alert.text),
        alerts::needsAttention(alert.kind) ? QSystemTrayIcon::Warning : QSystemTrayIcon::Information);
}

void AlertWatcher::post(const alerts::Alert& alert) {
    runAsync(
        this,
        [url = m_webhook, alert](std::stop_token stop) {
            const Json body{{"kind", alerts::toText(alert.kind)},
                            {"run_id", alert.runId},
                            {"title", alert.title},
                            {"text", alert.title + ": " + alert.text},
                            {"time", alert.timeMs}};
            http::Connection connection({}, stop);  // no credentials of other servers
            const auto answer =
                connection.post(url, body.dump(-1, ' ', false, Json::error_handler_t::replace));
            if (answer.status < 200 || answer.status > 299)
                throw Error("The webhook rejected an alert: HTTP " + std::to_string(answer.status) + ".",
                            "Check its URL on the Cluster page, under Alerts.");
        },
        [] {}, [this](const Error& error) { emit failed(error); });
}

}  // namespace dailies::ui
