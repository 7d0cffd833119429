#pragma once

#include "core/tracking/store.h"
#include "ui/bridge/run_async.h"

#include <QTimer>
#include <QWidget>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

class QLabel;
class QPlainTextEdit;
class QTabWidget;
class QToolButton;
class QVBoxLayout;

namespace dailies::ui {

class ClusterWorker;
class ElidedLabel;

/// Everything about one run beside the table: what it is and how it went, its attempts, its log as it is
/// written, its messages.
class DetailPanel : public QWidget {
    Q_OBJECT

public:
    DetailPanel(std::filesystem::path storeFile, ClusterWorker& worker, QWidget* parent = nullptr);

    /// Shows this run; `varied` are the params to list first.
    void setRun(const tracking::Run& run, const std::vector<std::string>& varied);
    const std::string& runId() const { return m_run.id; }
    bool settled() const { return !m_reading; }

signals:
    void closed();
    void failed(const dailies::Error& error);

private:
    struct Records {
        std::vector<tracking::Attempt> attempts;
        std::vector<tracking::RunMessage> messages;
        std::vector<tracking::CheckpointRecord> checkpoints;
    };

    QWidget* makeLogTab();
    void readRecords();
    void showOverview();
    void showMessages();
    void askForLog();
    void appendLog(const QString& text, std::int64_t nextOffset);

    std::filesystem::path m_storeFile;
    ClusterWorker& m_worker;
    tracking::Run m_run;
    std::vector<std::string> m_varied;
    Records m_records;
    AsyncTask m_task;
    bool m_reading = false;
    std::int64_t m_logOffset = -1;
    bool m_logAsked = false;
    QTimer m_logTimer;

    ElidedLabel* m_title;
    QLabel* m_status;
    QTabWidget* m_tabs;
    QVBoxLayout* m_overview;
    QVBoxLayout* m_messages;
    QPlainTextEdit* m_log;
    QLabel* m_logNote;
    QToolButton* m_follow;
};

}  // namespace dailies::ui
