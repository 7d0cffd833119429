#pragma once

#include "ui/bridge/run_async.h"
#include "ui/run_details/run_records.h"

#include <QTimer>
#include <QWidget>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

class QFrame;
class QLabel;
class QProgressBar;
class QPushButton;
class QStackedWidget;
class QTabWidget;
class QToolButton;

namespace dailies::ui {

class ElidedEdit;
class AttemptTimeline;
class ChartGrid;
class CheckpointsTab;
class ClipsTab;
class ClusterWorker;
class ConfigTab;
class EmptyState;
class FactList;
class LogPanel;
class NotesTab;
class OverviewTab;
class TagsTab;

/// Everything about one run: what it is and how it goes, configuration, curves, clips, checkpoints, attempts,
/// log, notes, tags. Reads the store off the GUI thread and follows changes.
class RunPage : public QWidget {
    Q_OBJECT

public:
    /// In the order of the tabs and of the keys 1 … 9.
    enum class Tab { Overview, Config, Curves, Clips, Checkpoints, Attempts, Log, Notes, Tags };

    RunPage(std::filesystem::path storeFile, ClusterWorker& worker, QWidget* parent = nullptr);

    void setRun(const std::string& runId);
    const std::string& runId() const { return m_runId; }
    void showTab(Tab tab);
    /// By its title in any case ("log"); throws `InputError` with the titles for another word.
    void showTab(std::string_view title);
    /// Everything that was asked for is on the screen.
    bool isSettled() const;

    ChartGrid& charts() { return *m_charts; }
    ClipsTab& clips() { return *m_clips; }
    LogPanel& log() { return *m_log; }
    NotesTab& notes() { return *m_notes; }
    TagsTab& tags() { return *m_tags; }
    ConfigTab& config() { return *m_config; }

signals:
    void backRequested();
    void reviewRequested(const std::vector<std::string>& runIds);
    /// A person wants to compare this run and is to choose the others.
    void compareRequested(const std::string& runId);
    void forkRequested(const std::string& runId);
    void sampleRequested(const std::string& runId);
    void batchRequested(const std::string& runId, qint64 step);
    void extendRequested(const std::string& runId, qint64 steps);
    void failed(const dailies::Error& error);
    void notification(const QString& text);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void showEvent(QShowEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* makeHeader();
    void makeTabs();
    void read();
    void apply(RunRecords records);
    void showHeader();
    void tick();
    void rename();
    void setArchived(bool archived);

    std::filesystem::path m_storeFile;
    ClusterWorker& m_worker;
    std::string m_runId;
    RunRecords m_records;
    AsyncTask m_task;
    bool m_reading = false, m_loaded = false, m_stale = false;
    QTimer m_clock;
    QTimer m_readLater;  ///< many changes in one poll make one reading

    QStackedWidget* m_stack;
    EmptyState* m_empty;
    QWidget* m_color;
    ElidedEdit* m_name;
    QLabel* m_statusIcon;
    QLabel* m_status;
    QLabel* m_place;
    QProgressBar* m_progress;
    QFrame* m_archivedBar;
    QPushButton* m_cancel;
    QPushButton* m_review;
    QPushButton* m_compare;
    QToolButton* m_more;
    QAction* m_fork = nullptr;
    QAction* m_sample = nullptr;
    QAction* m_batch = nullptr;
    QAction* m_extend = nullptr;
    QAction* m_copyId = nullptr;
    QAction* m_archive = nullptr;
    QTabWidget* m_tabs;
    OverviewTab* m_overview;
    ConfigTab* m_config;
    ChartGrid* m_charts;
    ClipsTab* m_clips;
    CheckpointsTab* m_checkpoints;
    AttemptTimeline* m_timeline;
    FactList* m_attempts;
    LogPanel* m_log;
    NotesTab* m_notes;
    TagsTab* m_tags;
};

}  // namespace dailies::ui
