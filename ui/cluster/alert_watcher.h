#pragma once

#include "core/alerts/rules.h"
#include "core/base/error.h"
#include "remote/cluster/snapshot_cache.h"

#include <QObject>
#include <QTimer>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

class QSystemTrayIcon;

namespace dailies::ui {

class ClusterWorker;

/// Looks for what a person wants to be told of (core/alerts) as runs change and once a minute, and tells it:
/// in the window when somebody is at it, else by a notification of the desktop; and to a webhook where there
/// is one. GUI thread.
class AlertWatcher : public QObject {
    Q_OBJECT

public:
    AlertWatcher(std::filesystem::path storeFile, ClusterWorker& worker, QObject* parent = nullptr);

    /// Gets each alert as JSON ({"kind", "run_id", "title", "text", "time"}) by POST; empty: none. No
    /// credentials are sent.
    void setWebhook(const std::string& url) { m_webhook = url; }
    const std::string& webhook() const { return m_webhook; }

public slots:
    void checkNow();  ///< now

signals:
    void raised(const dailies::alerts::Alert& alert);
    void openRunRequested(const std::string& runId);  ///< a notification was clicked
    void failed(const dailies::Error& error);

private:
    void checkDiskSpace(const remote::ClusterView& view);
    void tell(const std::vector<alerts::Alert>& alerts);
    void notifyDesktop(const alerts::Alert& alert);
    void post(const alerts::Alert& alert);

    std::filesystem::path m_storeFile;
    ClusterWorker& m_worker;
    std::string m_webhook;
    QTimer m_soon, m_minute;
    bool m_looking = false;
    QSystemTrayIcon* m_tray = nullptr;
    std::string m_lastRun;  ///< of the newest notification
};

}  // namespace dailies::ui
