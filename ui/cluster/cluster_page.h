#pragma once

#include "core/tracking/store.h"
#include "ui/cluster/cluster_worker.h"

#include <QWidget>

#include <filesystem>

class QFrame;
class QGridLayout;
class QLabel;
class QPushButton;
class QStackedWidget;
class QTableWidget;
class QVBoxLayout;

namespace dailies::ui {

class ElidedLabel;
class EmptyState;
class SandboxControl;

/// What is known of the connected cluster: Slurm's version and partitions, the workspace, our jobs there with
/// state and reason; and the switch of the sandbox.
class ClusterPage : public QWidget {
    Q_OBJECT

public:
    ClusterPage(std::filesystem::path storeFile, ClusterWorker& worker, SandboxControl& sandbox,
                QWidget* parent = nullptr);

    bool settled() const { return !m_reading; }

signals:
    void connectRequested();
    void runChosen(const std::string& runId);
    void failed(const dailies::Error& error);

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* makeHeader();
    QWidget* makeFacts();
    QWidget* makeSandboxCard();
    void showLink();
    void showSandbox();
    void readJobs();
    void showJobs(const std::vector<tracking::Run>& runs);

    std::filesystem::path m_storeFile;
    ClusterWorker& m_worker;
    SandboxControl& m_sandbox;
    bool m_reading = false;
    bool m_readAgain = false;

    QLabel* m_title;
    QLabel* m_subtitle;
    QPushButton* m_connect;
    QPushButton* m_disconnect;
    QStackedWidget* m_stack;
    EmptyState* m_empty;
    ElidedLabel* m_version;
    ElidedLabel* m_accounting;
    ElidedLabel* m_workspace;
    ElidedLabel* m_host;
    QTableWidget* m_partitions;
    QTableWidget* m_jobs;
    QLabel* m_noJobs;
    QLabel* m_sandboxState;
    QPushButton* m_sandboxSwitch;
};

}  // namespace dailies::ui
