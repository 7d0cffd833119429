#pragma once

#include "core/compare/goals.h"
#include "ui/run_details/run_columns.h"
#include "ui/runs/run_arrangement.h"

#include <QAbstractTableModel>
#include <QString>

#include <set>
#include <string>
#include <vector>

namespace dailies::ui {

/// The runs as a table: filtered, sorted, grouped, the pinned ones on top. Holds what the store gave and is
/// told of changes; touches neither disk nor cluster. Filtering and sorting happen on a worker, the newest
/// wish wins, and until it is done the rows stay as they were. No cell is formatted before it is painted.
class RunTableModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Role {
        IdRole = Qt::UserRole,  ///< the run id; invalid for the head of a group
    };

    explicit RunTableModel(QObject* parent = nullptr);

    /// The whole list. Rows of runs that stay keep their selection.
    void setRuns(RunSet set);
    /// New contents of some of the runs; those that are not in the table are ignored.
    void updateRuns(const std::vector<RunPtr>& runs);
    /// What sweeps and names say of the metrics: which value is the best.
    void setGoals(compare::Goals goals);
    /// The best values of a metric of these runs, as read from the store; other runs keep theirs.
    void setBest(const std::string& metric, const std::unordered_map<std::string, double>& values);

    // -- what to show
    void setExperiment(const std::string& name);  ///< empty: all
    void setMatcher(RunMatcher matcher);
    void setGrouping(const Grouping& grouping);
    void setPinned(std::set<std::string> runIds);
    void setHidden(std::set<std::string> runIds);  ///< whose curves and marks are not drawn
    void setCollapsed(std::set<std::string> groupValues);
    void toggleGroup(int row);
    void setColumns(const ColumnChoice& choice);
    void sort(int column, Qt::SortOrder order) override;  ///< −1: newest first
    void sortBy(const std::string& columnId, Qt::SortOrder order);

    const ArrangementSpec& spec() const { return m_spec; }
    const ColumnChoice& columnChoice() const { return m_choice; }
    sweep::Goal goalOf(const std::string& metric) const { return compare::goalOf(metric, m_goals); }

    // -- what is shown
    bool isSettled() const { return !m_arranging; }
    const Column& column(int index) const { return m_columns[static_cast<std::size_t>(index)]; }
    int columnOfId(const std::string& id) const;  ///< −1: not on show
    int sortColumn() const;                       ///< −1: not sorted, or by a column that is not on show
    /// The run of a row; null for the head of a group.
    RunPtr runAt(int row) const;
    /// The group that a row is the head of; null for a run's row.
    const RunGroup* groupAt(int row) const;
    const Summary* summaryAt(int row, int column) const;  ///< null: nothing to say there
    bool isPinned(int row) const;
    bool inGroup(int row) const;
    bool isHidden(int row) const;  ///< of a group: all its runs are
    const std::set<std::string>& hidden() const { return m_hidden; }
    int rowOf(const std::string& runId) const;  ///< −1: not shown
    int headOf(int row) const;                  ///< the head of the row's group; −1: none
    /// The runs that match, in order, those of collapsed groups too; `emphasized` is not set.
    ChartedRuns shownRuns() const;
    int shownCount() const { return static_cast<int>(m_arrangement.shown.size()); }
    int groupCount() const { return static_cast<int>(m_arrangement.groups.size()); }
    std::vector<std::string> runsOfGroup(int headRow) const;

    // -- all runs
    RunPtr find(const std::string& runId) const;  ///< null: not here
    const std::vector<RunPtr>& runs() const { return m_set.runs; }
    const RunKeys& keys() const { return m_set.keys; }

    /// The keys of the runs that the filter shows; of those before it where it shows none.
    const RunKeys& shownKeys() const { return m_shownKeys; }

    /// Refreshes what depends on the clock: the durations of active runs.
    void tick();

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;

signals:
    /// A person wrote another name into the table; it shows once the store has it.
    void renamed(const std::string& runId, const QString& name);
    /// The columns were rebuilt (the model was reset): a new param began to differ, a first metric arrived,
    /// or a choice.
    void columnsChanged();
    /// Rows came, went or moved.
    void arranged();

private:
    void rearrange();
    void countHidden();
    void colorGroups();
    void countKeys();
    void apply(Arrangement arrangement, std::size_t generation);
    bool rebuildColumns();
    QString display(const tracking::Run& run, const Column& column) const;
    QString groupText(const RunGroup& group, int column) const;

    RunSet m_set;                 ///< the newest that is known
    std::vector<RunPtr> m_shown;  ///< what the rows' indexes refer to: `m_set.runs`, or those before them
    Arrangement m_arrangement;
    std::vector<int> m_rowOfRun;  ///< by index in m_shown; −1: not shown
    std::unordered_map<std::string, int> m_shownIndexes;
    BestPtr m_best;
    compare::Goals m_goals;
    ArrangementSpec m_spec;
    ColumnChoice m_choice;
    std::set<std::string> m_hidden;
    std::vector<int> m_seenInGroup;  ///< how many runs of each group are not hidden
    std::vector<Column> m_columns;
    RunKeys m_shownKeys;
    std::size_t m_generation = 0;       ///< of m_set: another list, other indexes
    std::size_t m_shownGeneration = 0;  ///< of m_shown
    bool m_arranging = false;
    bool m_again = false;      ///< something changed while a worker arranged
    bool m_keysStale = false;  ///< other runs match, or they have other keys
};

}  // namespace dailies::ui
