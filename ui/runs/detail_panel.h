#pragma once

#include "ui/bridge/run_async.h"
#include "ui/run_details/run_records.h"

#include <QWidget>

#include <filesystem>
#include <string>
#include <vector>

class QLabel;
class QTabWidget;

namespace dailies::ui {

class ClusterWorker;
class ElidedLabel;
class FactList;
class LogPanel;
class MessageList;

/// A quick look at one run beside the table: what it is and how it goes, its log as it is written, its
/// messages. The run's page has the rest.
class DetailPanel : public QWidget {
    Q_OBJECT

public:
    DetailPanel(std::filesystem::path storeFile, ClusterWorker& worker, QWidget* parent = nullptr);

    /// Shows this run; `varied` are the params to list.
    void setRun(const tracking::Run& run, const std::vector<std::string>& varied);
    const std::string& runId() const { return m_runId; }
    bool isSettled() const { return !m_reading; }

signals:
    void closed();
    void opened(const std::string& runId);  ///< a person wants the run's page
    void failed(const dailies::Error& error);

private:
    void readRecords();
    void showRecords();
    void showStatus();

    std::filesystem::path m_storeFile;
    ClusterWorker& m_worker;
    std::string m_runId;
    std::vector<std::string> m_varied;
    RunRecords m_records;
    AsyncTask m_task;
    bool m_reading = false;

    ElidedLabel* m_title;
    QLabel* m_status;
    QTabWidget* m_tabs;
    FactList* m_facts;
    MessageList* m_messages;
    LogPanel* m_log;
};

}  // namespace dailies::ui
