#pragma once

#include "core/tracking/store.h"
#include "ui/cluster/cluster_rows.h"
#include "ui/link/cluster_worker.h"

#include <QTimer>
#include <QWidget>

#include <array>
#include <filesystem>
#include <memory>
#include <string>

class QLabel;
class QPushButton;
class QStackedWidget;
class QTabWidget;
class QToolButton;

namespace dailies::ui {

class AdoptPanel;
class AlertsPanel;
class ElidedLabel;
class EmptyState;
class SnapshotTable;
class NodesPanel;
class QueuePanel;
class SandboxControl;
class UsageTile;

/// The cluster as it is now, or as it was when it was last seen: what is free, everybody's queue, the nodes,
/// the partitions and what ended lately; and the switch of the sandbox. Slurm is asked only while the page is
/// seen, and the page says how old the answer is.
class ClusterPage : public QWidget {
    Q_OBJECT

public:
    ClusterPage(std::filesystem::path storeFile, ClusterWorker& worker, SandboxControl& sandbox,
                QWidget* parent = nullptr);

    bool isSettled() const;
    /// "Queue", "Nodes", "Partitions", "History", "Preflight", "Adopt" or "Alerts"; throws `InputError` for
    /// another.
    void showTab(const std::string& title);
    AlertsPanel& alerts() { return *m_alerts; }

signals:
    void connectRequested();
    void openRunRequested(const std::string& runId);
    void failed(const dailies::Error& error);

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    enum Tile { kNodes, kGpus, kCpus, kMine, kDisk, kTiles };

    QWidget* makeHeader();
    QWidget* makeEmpty();
    QWidget* makeOverview();
    void addKeys();
    void showLink();
    void showSandbox();
    void showAge();
    void watch(bool seen);
    void take(std::shared_ptr<const remote::ClusterView> view, bool live);
    void showTiles();
    void readKept();
    void readRuns();
    void readHistory();
    void refreshTab();
    bool isLive() const;
    bool showsHistory() const;

    std::filesystem::path m_storeFile;
    ClusterWorker& m_worker;
    SandboxControl& m_sandbox;
    int m_reading = 0;  ///< questions to the store that are under way
    bool m_runsAgain = false, m_readingRuns = false, m_keptRead = false;
    std::shared_ptr<const remote::ClusterView> m_view;
    bool m_live = false;          ///< m_view is of the connection in use
    std::int64_t m_lookedMs = 0;  ///< when it came, by this machine's clock
    int m_callsInMinute = 0;
    bool m_watched = false;
    RunsByJob m_runs;
    QTimer m_second;

    QLabel* m_title;
    QLabel* m_dot;
    ElidedLabel* m_subtitle;
    QLabel* m_age;
    QToolButton* m_refresh;
    QPushButton* m_sandboxSwitch;
    QPushButton* m_disconnect;
    QPushButton* m_connect;
    QStackedWidget* m_stack;
    EmptyState* m_empty;
    QLabel* m_sandboxState;
    QPushButton* m_emptySandbox;
    std::array<UsageTile*, kTiles> m_tiles{};
    QTabWidget* m_tabs;
    QueuePanel* m_queue;
    NodesPanel* m_nodes;
    SnapshotTable* m_partitions;
    SnapshotTable* m_history;
    QLabel* m_historySource;
    AdoptPanel* m_adopt;
    AlertsPanel* m_alerts;
};

}  // namespace dailies::ui
