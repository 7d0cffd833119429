#pragma once

#include "ui/run_details/run_records.h"

#include <QWidget>

#include <filesystem>

class QLabel;
class QPushButton;
class QTableWidget;

namespace dailies::ui {

class ClusterWorker;

/// The run's checkpoints: step, size, where each lies, and a way to have them here.
class CheckpointsTab : public QWidget {
    Q_OBJECT

public:
    CheckpointsTab(std::filesystem::path storeFile, ClusterWorker& worker, QWidget* parent = nullptr);
    void setRecords(const RunRecords& records);
    QTableWidget& table() { return *m_table; }

signals:
    void pulled();  ///< the mirror holds more now
    void notification(const QString& text);

private:
    void showProgress(const QString& line);
    void copyPath();
    void updateButtons();

    std::filesystem::path m_storeFile;
    ClusterWorker& m_worker;
    std::string m_runId, m_cluster;
    bool m_pulling = false;
    QTableWidget* m_table;
    QLabel* m_progress;
    QPushButton* m_copy;
    QPushButton* m_pull;
};

}  // namespace dailies::ui
