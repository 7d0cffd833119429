#pragma once

#include "core/base/error.h"
#include "core/tracking/store.h"

#include <QTimer>
#include <QWidget>

#include <filesystem>
#include <string>
#include <vector>

class QComboBox;
class QLabel;
class QLineEdit;
class QToolButton;

namespace dailies::ui {

class ClusterWorker;
class LogView;

/// A run's logs, one an attempt: what the desktop has of them, and while its cluster is connected what comes
/// in. Search, jump to failures, follow, wrap. Fetches only while it is seen. GUI thread only.
class LogPanel : public QWidget {
    Q_OBJECT

public:
    LogPanel(std::filesystem::path storeFile, ClusterWorker& worker, QWidget* parent = nullptr);

    /// Shows the newest attempt's log, or stays with the attempt that a person chose.
    void setRun(const tracking::Run& run, const std::vector<tracking::Attempt>& attempts);

    /// Where training is, above the log: programs write little while all goes well. Empty: nothing is said.
    void setProgress(const QString& text);

    LogView& view() { return *m_view; }
    void focusSearch();
    bool isSettled() const;

signals:
    void failed(const dailies::Error& error);

protected:
    void showEvent(QShowEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* makeBar();
    void openChosen();
    void fetch();
    void showCounts();
    std::string chosenJob() const;

    std::filesystem::path m_storeFile;
    ClusterWorker& m_worker;
    std::string m_runId;
    bool m_active = false;
    bool m_asked = false;  ///< the worker is fetching
    bool m_whole = false;  ///< of an ended run: everything is here
    QString m_note;        ///< why nothing new comes
    QTimer m_timer;

    QLabel* m_progress;
    QComboBox* m_attempts;
    QLineEdit* m_search;
    QLabel* m_matches;
    QToolButton* m_failure;
    QToolButton* m_wrap;
    QToolButton* m_follow;
    QLabel* m_status;
    LogView* m_view;
};

}  // namespace dailies::ui
