#pragma once

#include "core/tracking/store.h"
#include "ui/charts/charted_run.h"

#include <QAbstractTableModel>
#include <QString>

#include <string>
#include <unordered_map>
#include <vector>

namespace dailies::ui {

/// The runs as a table: name, status, sweep, params, latest metrics, duration, start. Holds the
/// store's rows and is told of changes; touches neither disk nor cluster.
class RunTableModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum class Kind { Name, Status, Sweep, Param, Metric, Duration, Started };
    struct Column {
        Kind kind;
        std::string key = {};    ///< of the param or metric
        std::string title = {};  ///< what its header says
        bool operator==(const Column&) const = default;
    };
    enum Role {
        SortRole = Qt::UserRole,  ///< a double or a text; invalid = nothing here, sorts last either way
        SearchRole,               ///< everything about the run that the filter box looks into, lower case
        IdRole,                   ///< the run id
    };

    explicit RunTableModel(QObject* parent = nullptr);

    /// The whole list, newest first, as the store gives it. Rows that stay keep their selection.
    void setRuns(std::vector<RunPtr> runs);
    /// New contents of some of the runs; those that are not in the table are ignored.
    void updateRuns(const std::vector<RunPtr>& runs);

    /// Only params that are not the same in all runs (default), or all.
    void setDiffersOnly(bool on);
    bool differsOnly() const { return m_differsOnly; }
    /// Which metrics have a column; until called, the first few by `metricOrder`.
    void setMetricColumns(std::vector<std::string> keys);
    std::vector<std::string> metricColumns() const;
    /// All metric keys of these runs: loss and adherence first, then by name.
    const std::vector<std::string>& metricKeys() const { return m_metricKeys; }

    /// Refreshes what depends on the clock: the durations of active runs.
    void tick();

    const tracking::Run& run(int row) const { return *m_runs[static_cast<std::size_t>(row)]; }
    RunPtr find(const std::string& runId) const;  ///< null: not here
    int rowOf(const std::string& runId) const;    ///< -1: not here
    const Column& column(int index) const { return m_columns[static_cast<std::size_t>(index)]; }
    const std::vector<RunPtr>& runs() const { return m_runs; }
    /// Params that differ between the runs, in the schema's order.
    const std::vector<std::string>& variedParams() const { return m_varied; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

signals:
    /// The columns were rebuilt (the model was reset): a new param began to differ, a first metric arrived,
    /// or a choice.
    void columnsChanged();

private:
    void reindex();
    void rebuildColumns();
    QVariant display(const tracking::Run& run, const Column& column) const;
    QVariant sortKey(const tracking::Run& run, const Column& column) const;

    std::vector<RunPtr> m_runs;
    std::unordered_map<std::string, int> m_rows;
    std::vector<Column> m_columns;
    std::vector<std::string> m_metricKeys;
    std::vector<std::string> m_varied;
    std::vector<std::string> m_chosenMetrics;
    bool m_metricsChosen = false;
    bool m_differsOnly = true;
};

/// The runs that the store gave, as the pages hand them around. Any thread.
std::vector<RunPtr> shareRuns(std::vector<tracking::Run> runs);

/// Orders metric keys as a person looks at them: loss, adherence, further losses, then by name; no
/// duplicates.
std::vector<std::string> metricOrder(std::vector<std::string> keys);

}  // namespace dailies::ui
