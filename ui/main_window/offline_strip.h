#pragma once

#include "ui/bridge/run_async.h"
#include "ui/cluster/cluster_worker.h"

#include <QFrame>
#include <QTimer>

#include <filesystem>
#include <string>

class QLabel;
class QPushButton;

namespace dailies::ui {

/// The one line above every page that says how far what it shows can be relied on: that the database is only
/// read here, or that runs are shown as active whose cluster is not connected, so that what the store holds of
/// them is as of then. Not there while nothing is in doubt.
class OfflineStrip : public QFrame {
    Q_OBJECT

public:
    OfflineStrip(std::filesystem::path storeFile, ClusterWorker& worker, QWidget* parent = nullptr);

    bool settled() const { return !m_reading && !m_later.isActive(); }

signals:
    void connectRequested(const std::string& clusterName);

private:
    /// Active runs of clusters that are not connected.
    struct Doubt {
        int runs = 0;
        std::string cluster;  ///< of one of them
        bool severalClusters = false;
        std::int64_t lastHeardMs = 0;
    };
    void read();
    void showReadOnly();
    void showDoubt(const Doubt& doubt);

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
