#pragma once

#include "core/compare/goals.h"
#include "core/tracking/run_color.h"
#include "ui/bridge/run_async.h"
#include "ui/runs/best_value_reader.h"
#include "ui/runs/filter_box.h"
#include "ui/runs/run_actions.h"
#include "ui/runs/run_table_model.h"
#include "ui/runs/sparkline_cache.h"
#include "ui/runs/view_state.h"
#include "ui/runs/views_button.h"

#include <QTimer>
#include <QWidget>

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

class QAction;
class QKeyEvent;
class QLabel;
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
class RunTable;
class SelectionBar;

/// The runs room: the live table of runs, their charts below it, and the details of the selected one beside.
/// Reads the store off the GUI thread, and after a change only the runs that changed.
class RunsPage : public QWidget {
    Q_OBJECT

public:
    RunsPage(std::filesystem::path storeFile, ClusterWorker& worker, QWidget* parent = nullptr);

    /// The selected runs, or all shown ones when none is selected; in the table's order.
    std::vector<std::string> selectedOrShownRuns() const;
    /// Asks for the selected runs to be compared; says how many it takes where there are too few.
    void compareSelected();
    void selectRuns(const std::vector<std::string>& runIds);
    /// Selects these runs as soon as the table has them, whatever filter, experiment or group hides them now.
    void showRuns(const std::vector<std::string>& runIds);
    /// The runs of the sweep of this name and no others, by the filter, so that a person sees why.
    void showSweep(const std::string& name);
    /// What the charts are to show: all shown runs, the selected ones emphasized.
    ChartedRuns chartedRuns() const;
    /// Everything that was asked for is on the screen.
    bool isSettled() const;

    const RunTableModel& model() const { return m_model; }
    QTableView& table();
    FilterBox& filterBox() { return *m_filter; }
    RunActions& runActions() { return m_actions; }
    ViewsButton& views() { return *m_views; }
    SelectionBar& selectionBar() { return *m_selectionBar; }
    void focusFilter();

    // -- what keys and menus do
    void groupBy(const Grouping& grouping);
    void togglePinned();
    void toggleHidden(const std::vector<std::string>& runIds);
    void renameSelected();
    void colorSelected(std::size_t color);
    void archiveSelected();
    /// All active runs of some sweep that are shown are among these.
    bool coversASweep(const std::vector<std::string>& runIds) const;
    void cancelSelected();  ///< after asking
    void editTags();
    void showArchived(bool on);
    void copyRows();
    void importRuns();
    void exportRuns();
    ViewState viewState() const;
    void applyView(const ViewState& state);

signals:
    void reviewRequested(const std::vector<std::string>& runIds);
    void compareRequested(const std::vector<std::string>& runIds);
    void openRunRequested(const std::string& runId);
    void launchRequested();
    void openFolderRequested();  ///< of runs that were started without Dailies
    /// A new sweep is wanted that begins with this run's configuration.
    void forkRequested(const std::string& runId);
    /// More clips of these runs' checkpoints are wanted.
    void sampleRequested(const std::vector<std::string>& runIds);
    void failed(const dailies::Error& error);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Loaded {
        RunSet set;
        std::vector<tracking::RunColor> colors;
        compare::Goals goals;
        std::optional<StoredViews> views;  ///< with the first load only
    };

    // -- runs_page.cpp: reading and showing
    void layOut();
    void wire();
    void runsChanged(const std::vector<std::string>& runIds);
    void read();
    void readAll();
    void readSome();
    void apply(Loaded loaded);
    void applySome(std::vector<RunPtr> runs);
    void readVocabulary();
    void readBest(const std::vector<std::string>& changed);
    void updateReadOnly();
    void saveScrollPosition();
    void showNoMatch();
    void showCounts();
    void selectionChanged();
    void updateCharts();
    void updateDetail();
    void columnsChanged();
    void showWanted();
    std::vector<std::string> selectedRuns() const;

    // -- runs_page_actions.cpp: what can be done here, for menus, keys and the command palette alike
    /// Each of them once. One that cannot be done now is disabled, and its tooltip says why.
    struct Actions {
        QAction *filter, *keys, *undo;
        QAction *group, *columns, *differs, *showAll, *archived, *copyShown, *openFolder, *importRuns,
            *exportRuns;
        QAction *open, *compare, *review, *pin, *hide, *rename, *color, *tags, *fork, *extend, *sample,
            *launchRun, *launchSweep;
        QAction *copyRows, *copyIds, *copyNames, *copyParams;
        QAction *cancel, *archive, *restore, *purge;
        std::vector<QAction*> groupings, colors;
    };
    void makeActions();
    void updateActions();
    void nameActions();
    void explain(const QKeyEvent& event);
    void extendSelected();  ///< after asking how far
    void rename(const std::string& runId, const QString& name);

    // -- runs_menus.cpp: toolbar and menus
    QWidget* makeToolbar();
    void showExperiment(const std::string& name);  ///< empty: all
    void fillExperiments();
    void fillGroups();
    void fillMore();
    void chooseColumns();
    void showContextMenu(const QPoint& position);
    void showHeaderMenu(const QPoint& position);
    void switchColumn(const std::string& id, bool on);
    void setChoice(const ColumnChoice& choice);
    void moveColumn(int from, int to);
    void showKeys();

    std::filesystem::path m_storeFile;
    ClusterWorker& m_worker;
    RunTableModel m_model;
    SparklineCache m_sparklines;
    BestValueReader m_best;
    RunActions m_actions;

    std::set<std::string> m_toRead;  ///< changed runs not read yet
    bool m_readAll = true;
    bool m_reading = false;
    bool m_loaded = false;
    bool m_archived = false;  ///< the archived runs are shown instead of the others
    bool m_vocabularyStale = true;
    std::vector<std::string> m_wanted;     ///< by `showRuns`, and not on show yet
    std::vector<std::string> m_selection;  ///< by id: survives a reset of the columns
    std::pair<std::string, int> m_place;   ///< the run at the top of a scrolled table, and where it stands
    std::string m_current;                 ///< the run that the keys act on, over a reset of the columns
    bool m_detailDismissed = false;
    bool m_hasRoomForDetail = true;
    QTimer m_clock;
    QTimer m_chartsLater;
    Actions m_commands{};

    QStackedWidget* m_stack;
    QStackedWidget* m_tableArea;
    FilterBox* m_filter;
    QLabel* m_title;
    QLabel* m_count;
    QToolButton* m_experiment;
    ViewsButton* m_views;
    QToolButton* m_group;
    QToolButton* m_differs;
    QToolButton* m_columns;
    QToolButton* m_more;
    RunTable* m_table;
    SelectionBar* m_selectionBar;
    ChartGrid* m_charts;
    DetailPanel* m_detail;
    QSplitter* m_split;
    EmptyState* m_noMatch;
    QPushButton* m_clearFilter = nullptr;  ///< below it
};

}  // namespace dailies::ui
