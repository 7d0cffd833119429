#pragma once

#include "core/tracking/store.h"
#include "ui/bridge/run_async.h"
#include "ui/runs/run_filter.h"
#include "ui/runs/run_table_model.h"

#include <QTimer>
#include <QWidget>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

class QLabel;
class QLineEdit;
class QMenu;
class QPushButton;
class QSplitter;
class QStackedWidget;
class QTableView;
class QToolButton;

namespace dailies::ui {

class ChartGrid;
class ClusterWorker;
class DetailPanel;
class EmptyState;

/// The live table of runs, their curves below it, and the details of the selected one beside. Reads the store
/// off the GUI thread, and after a change only the runs that changed.
class RunsPage : public QWidget {
    Q_OBJECT

public:
    RunsPage(std::filesystem::path storeFile, ClusterWorker& worker, QWidget* parent = nullptr);

    /// The selected runs, or all shown ones when none is selected; in the table's order.
    std::vector<std::string> chosenRuns() const;
    void selectRuns(const std::vector<std::string>& runIds);
    /// What the charts are to show: the selected runs, or all shown ones when none is selected.
    ChartedRuns chartedRuns() const;
    /// Everything that was asked for is on the screen.
    bool settled() const;

    const RunTableModel& model() const { return m_model; }
    QTableView& table() { return *m_table; }
    void focusFilter();

signals:
    void reviewRequested(const std::vector<std::string>& runIds);
    void compareRequested(const std::vector<std::string>& runIds);
    void runOpened(const std::string& runId);
    void launchRequested();
    void failed(const dailies::Error& error);

private:
    QWidget* makeToolbar();
    void setUpTable();
    void runsChanged(const std::vector<std::string>& runIds);
    void read();
    void apply(std::vector<RunPtr> runs, bool all);
    void showCounts();
    void selectionChanged();
    void updateCharts();
    void updateDetail();
    void sizeColumns();
    void rebuildColumnsMenu();
    void showContextMenu(const QPoint& position);
    std::vector<std::string> selectedRuns() const;
    std::vector<std::string> shownRuns() const;

    std::filesystem::path m_storeFile;
    ClusterWorker& m_worker;
    RunTableModel m_model;
    RunFilter m_filter;

    std::set<std::string> m_toRead;  ///< changed runs not read yet
    bool m_readAll = true;
    bool m_reading = false;
    bool m_loaded = false;
    std::vector<std::string> m_selection;  ///< by id: survives a reset of the columns
    bool m_detailDismissed = false;
    QTimer m_clock;
    QTimer m_chartsLater;

    QStackedWidget* m_stack;
    QLineEdit* m_search;
    QLabel* m_count;
    QToolButton* m_differs;
    QToolButton* m_columnsButton;
    QMenu* m_columnsMenu;
    QPushButton* m_cancel;
    QPushButton* m_review;
    QTableView* m_table;
    ChartGrid* m_charts;
    DetailPanel* m_detail;
    QSplitter* m_split;
    EmptyState* m_noMatch;
};

}  // namespace dailies::ui
