#pragma once

#include "ui/bridge/run_async.h"
#include "ui/link/cluster_worker.h"

#include <QFrame>
#include <QTimer>

#include <filesystem>
#include <string>

class QLabel;
class QPushButton;

namespace dailies::ui {

/// The one line above every page that says how far what it shows can be relied on: that the database is only
/// read here, or that runs are shown as active whose cluster is not connected, so that what the store holds
/// of them is as of then. Not there while nothing is in doubt.
class OfflineBanner : public QFrame {
    Q_OBJECT

public:
    OfflineBanner(std::filesystem::path storeFile, ClusterWorker& worker, QWidget* parent = nullptr);

    bool isSettled() const { return !m_reading && !m_later.isActive(); }

signals:
    void connectRequested(const std::string& clusterName);

private:
    /// Active runs of clusters that are not connected.
    struct StaleRuns {
        int runs = 0;
        std::string cluster;  ///< of one of them
        bool severalClusters = false;
        std::int64_t lastSeenMs = 0;
    };
    void read();
    void showReadOnly();
    void showStaleRuns(const StaleRuns& doubt);

    std::filesystem::path m_storeFile;
    ClusterWorker& m_worker;
    std::string m_cluster;
    AsyncTask m_task;
    bool m_reading = false;
    QTimer m_later;
    QLabel* m_text;
    QPushButton* m_connect;
};

}  // namespace dailies::ui
