#include "ui/runs/run_table_model.h"

#include "ui/bridge/run_async.h"
#include "ui/theme/run_colors.h"

#include <algorithm>

namespace dailies::ui {

namespace {

bool sameKeys(const tracking::Run& a, const tracking::Run& b) {
    return a.params == b.params && a.experiment == b.experiment && a.metrics.hasSameKeys(b.metrics) &&
           a.tags.hasSameKeys(b.tags);
}

}  // namespace

RunTableModel::RunTableModel(QObject* parent) : QAbstractTableModel(parent) {
    rebuildColumns();
}

void RunTableModel::setRuns(RunSet set) {
    m_set = std::move(set);
    ++m_generation;
    countKeys();
    rebuildColumns();
    rearrange();
}

void RunTableModel::updateRuns(const std::vector<RunPtr>& runs) {
    const std::size_t before = m_set.keys.version();
    for (const auto& run : runs) {
        if (const auto found = m_set.indexes.find(run->id); found != m_set.indexes.end()) {
            RunPtr& old = m_set.runs[static_cast<std::size_t>(found->second)];
            if (!sameKeys(*old, *run)) {
                m_set.keys.remove(*old);
                m_set.keys.add(*run);
            }
            old = run;
        }
        if (const auto found = m_shownIndexes.find(run->id); found != m_shownIndexes.end()) {
            const auto at = static_cast<std::size_t>(found->second);
            m_shown[at] = run;
            if (const int row = m_rowOfRun[at]; row >= 0) {
                emit dataChanged(index(row, 0), index(row, columnCount() - 1));
            }
        }
    }
    // A filter may let a run in or out by any of its values.
    if (m_set.keys.version() != before || !m_spec.showsAll()) {
        countKeys();
    }
    rebuildColumns();
    rearrange();
}

/// Where every run is shown the keys are known; else the worker that finds the runs gathers theirs.
void RunTableModel::countKeys() {
    m_keysStale = !m_spec.showsAll();
    if (!m_keysStale) {
        m_shownKeys = m_set.keys;
    }
}

void RunTableModel::setGoals(compare::Goals goals) {
    if (goals != m_goals) {
        m_goals = std::move(goals);
        rebuildColumns();
        rearrange();
    }
}

void RunTableModel::setBest(const std::string& metric,
                            const std::unordered_map<std::string, double>& values) {
    auto best = m_best ? std::make_shared<BestValues>(*m_best) : std::make_shared<BestValues>();
    auto& of = (*best)[metric];
    for (const auto& [id, value] : values) {
        of[id] = value;
    }
    m_best = std::move(best);
    if (const int at = columnOfId("metric:" + metric); at >= 0 && rowCount() > 0) {
        emit dataChanged(index(0, at), index(rowCount() - 1, at));
        rearrange();
    }
}

void RunTableModel::setExperiment(const std::string& name) {
    if (name != m_spec.experiment) {
        m_spec.experiment = name;
        countKeys();
        rebuildColumns();
        rearrange();
    }
}

void RunTableModel::setMatcher(RunMatcher matcher) {
    m_spec.matcher = std::move(matcher);
    countKeys();
    rebuildColumns();
    rearrange();
}

void RunTableModel::setGrouping(const Grouping& grouping) {
    if (grouping != m_spec.grouping) {
        m_spec.grouping = grouping;
        m_spec.collapsed.clear();
        rearrange();
    }
}

void RunTableModel::setPinned(std::set<std::string> runIds) {
    if (runIds != m_spec.pinned) {
        m_spec.pinned = std::move(runIds);
        rearrange();
    }
}

void RunTableModel::setHidden(std::set<std::string> runIds) {
    if (runIds == m_hidden) {
        return;
    }
    m_hidden = std::move(runIds);
    countHidden();
    if (rowCount() > 0) {
        emit dataChanged(index(0, 0), index(rowCount() - 1, 0));
    }
    emit arranged();
}

/// Groups on show at the same time have colours of their own, whatever order they stand in.
void RunTableModel::colorGroups() {
    constexpr std::size_t kMaxTold = 200;  // nobody could tell more of them apart
    if (m_arrangement.groups.size() > kMaxTold) {
        return;
    }
    std::set<std::string> titles;
    for (const auto& group : m_arrangement.groups) {
        titles.insert(group.title.toStdString());
    }
    std::vector<tracking::RunColor> groups;
    std::vector<std::size_t> recent;
    for (const auto& title : titles) {
        groups.push_back({title, tracking::newRunColor(title, recent), true});
        recent.push_back(groups.back().color);
        if (recent.size() > tracking::kDistinctColorWindow) {
            recent.erase(recent.begin());
        }
    }
    RunColors::instance().assign(groups);
}

void RunTableModel::countHidden() {
    m_seenInGroup.assign(m_arrangement.groups.size(), 0);
    for (std::size_t i = 0; i < m_arrangement.shown.size(); ++i) {
        const int group = m_arrangement.groupOf[i];
        const auto& run = m_shown[static_cast<std::size_t>(m_arrangement.shown[i])];
        if (group >= 0 && (m_hidden.empty() || !m_hidden.contains(run->id))) {
            ++m_seenInGroup[static_cast<std::size_t>(group)];
        }
    }
}

bool RunTableModel::isHidden(int row) const {
    if (const auto run = runAt(row)) {
        return !m_hidden.empty() && m_hidden.contains(run->id);
    }
    return m_seenInGroup[static_cast<std::size_t>(m_arrangement.rows[static_cast<std::size_t>(row)].group)] ==
           0;
}

void RunTableModel::setCollapsed(std::set<std::string> groupValues) {
    if (groupValues != m_spec.collapsed) {
        m_spec.collapsed = std::move(groupValues);
        rearrange();
    }
}

void RunTableModel::toggleGroup(int row) {
    if (const auto* group = groupAt(row)) {
        auto collapsed = m_spec.collapsed;
        if (collapsed.erase(group->value) == 0) {
            collapsed.insert(group->value);
        }
        setCollapsed(std::move(collapsed));
    }
}

void RunTableModel::setColumns(const ColumnChoice& choice) {
    if (choice != m_choice) {
        const bool samePicture = choice.shown == m_choice.shown && choice.hidden == m_choice.hidden &&
                                 choice.best == m_choice.best && choice.order == m_choice.order &&
                                 choice.differsOnly == m_choice.differsOnly;
        m_choice = choice;
        if (!samePicture) {
            rebuildColumns();
            rearrange();
        }
    }
}

void RunTableModel::sort(int column, Qt::SortOrder order) {
    sortBy(column >= 0 && column < columnCount() ? this->column(column).id() : std::string(), order);
}

void RunTableModel::sortBy(const std::string& columnId, Qt::SortOrder order) {
    auto by = columnId.empty() ? std::nullopt : std::optional(columnOf(columnId));
    if (by) {
        by->best = by->kind == Column::Kind::Metric && m_choice.best.contains(by->key);
    }
    const bool descending = order == Qt::DescendingOrder;
    if (by != m_spec.sortBy || descending != m_spec.descending) {
        m_spec.sortBy = by;
        m_spec.descending = descending;
        rearrange();
    }
}

int RunTableModel::columnOfId(const std::string& id) const {
    const auto found =
        std::find_if(m_columns.begin(), m_columns.end(), [&](const Column& c) { return c.id() == id; });
    return found == m_columns.end() ? -1 : static_cast<int>(found - m_columns.begin());
}

int RunTableModel::sortColumn() const {
    return m_spec.sortBy ? columnOfId(m_spec.sortBy->id()) : -1;
}

void RunTableModel::rearrange() {
    if (m_arranging) {
        m_again = true;
        return;
    }
    m_arranging = true;
    m_again = false;
    m_spec.countKeys = std::exchange(m_keysStale, false);
    // Pointers are copied, runs are not: the worker sees the list as it is now.
    runAsync(
        this,
        [runs = m_set.runs, best = m_best, spec = m_spec](std::stop_token) {
            return arrange(runs, best, spec);
        },
        [this, generation = m_generation](Arrangement arrangement) {
            m_arranging = false;
            auto keys = std::exchange(arrangement.keys, std::nullopt);
            apply(std::move(arrangement), generation);
            if (keys && !m_keysStale && !m_spec.showsAll()) {
                m_shownKeys = std::move(*keys);
                m_again |= rebuildColumns() && groupCount() > 0;  // whose heads have summaries of the metrics
            }
            if (m_again) {
                rearrange();
            }
        },
        [this](const Error& error) {
            m_arranging = false;
            qWarning("%s", error.what());
        });
}

void RunTableModel::apply(Arrangement arrangement, std::size_t generation) {
    if (generation != m_generation) {
        m_again = true;  // its indexes are of a list that is gone
        return;
    }
    const bool sameRuns = m_shownGeneration == m_generation;
    const bool sameRows = sameRuns && arrangement.rows == m_arrangement.rows;
    if (sameRows) {
        const bool grouped = !arrangement.groups.empty();
        m_arrangement = std::move(arrangement);
        m_shown = m_set.runs;
        countHidden();
        colorGroups();
        if (grouped) {
            for (int row = 0; row < rowCount(); ++row) {
                if (groupAt(row)) {
                    emit dataChanged(index(row, 0), index(row, columnCount() - 1));
                }
            }
        }
        emit arranged();
        return;
    }
    emit layoutAboutToBeChanged({}, VerticalSortHint);
    const auto persistent = persistentIndexList();
    // Where each index that somebody holds goes: by the run, or by the group's value.
    std::vector<std::pair<std::string, std::string>> holders;  // run id, group value
    for (const auto& at : persistent) {
        const auto run = runAt(at.row());
        const auto* group = groupAt(at.row());
        holders.emplace_back(run ? run->id : std::string(), group ? group->value : std::string());
    }
    m_arrangement = std::move(arrangement);
    m_shown = m_set.runs;
    countHidden();
    colorGroups();
    if (!sameRuns) {
        m_shownIndexes = m_set.indexes;
        m_shownGeneration = m_generation;
    }
    m_rowOfRun.assign(m_shown.size(), -1);
    std::unordered_map<std::string, int> heads;
    for (int row = 0; row < rowCount(); ++row) {
        const auto& at = m_arrangement.rows[static_cast<std::size_t>(row)];
        if (at.run >= 0) {
            m_rowOfRun[static_cast<std::size_t>(at.run)] = row;
        } else {
            heads.emplace(m_arrangement.groups[static_cast<std::size_t>(at.group)].value, row);
        }
    }
    QModelIndexList moved;
    moved.reserve(persistent.size());
    for (qsizetype i = 0; i < persistent.size(); ++i) {
        const auto& [run, group] = holders[static_cast<std::size_t>(i)];
        int row = -1;
        if (!run.empty()) {
            row = rowOf(run);
        } else if (const auto head = heads.find(group); head != heads.end()) {
            row = head->second;
        }
        moved.push_back(row < 0 ? QModelIndex() : index(row, persistent[i].column()));
    }
    changePersistentIndexList(persistent, moved);
    emit layoutChanged({}, VerticalSortHint);
    emit arranged();
}

/// Whether the columns are others now.
bool RunTableModel::rebuildColumns() {
    auto columns = chooseColumns(m_set.keys, m_shownKeys, m_choice);
    m_spec.metrics.clear();
    m_spec.higherIsBetter.clear();
    for (const auto& column : columns) {
        if (column.kind == Column::Kind::Metric) {
            m_spec.metrics.push_back(column);
            if (goalOf(column.key) == sweep::Goal::Maximize) {
                m_spec.higherIsBetter.insert(column.key);
            }
        }
    }
    if (m_spec.sortBy && m_spec.sortBy->kind == Column::Kind::Metric) {
        m_spec.sortBy->best = m_choice.best.contains(m_spec.sortBy->key);
    }
    if (columns == m_columns) {
        return false;
    }
    beginResetModel();
    m_columns = std::move(columns);
    endResetModel();
    emit columnsChanged();
    return true;
}

RunPtr RunTableModel::runAt(int row) const {
    const int run = m_arrangement.rows[static_cast<std::size_t>(row)].run;
    return run < 0 ? nullptr : m_shown[static_cast<std::size_t>(run)];
}

const RunGroup* RunTableModel::groupAt(int row) const {
    const auto& at = m_arrangement.rows[static_cast<std::size_t>(row)];
    return at.run < 0 ? &m_arrangement.groups[static_cast<std::size_t>(at.group)] : nullptr;
}

const Summary* RunTableModel::summaryAt(int row, int column) const {
    const auto* group = groupAt(row);
    const auto found = std::find(m_spec.metrics.begin(), m_spec.metrics.end(), this->column(column));
    const auto at = static_cast<std::size_t>(found - m_spec.metrics.begin());
    // While a new column's values are being gathered, the groups do not have them yet.
    return group && found != m_spec.metrics.end() && at < group->metrics.size() && group->metrics[at].runs > 0
               ? &group->metrics[at]
               : nullptr;
}

bool RunTableModel::isPinned(int row) const {
    const auto run = runAt(row);
    return run && m_spec.pinned.contains(run->id);
}

bool RunTableModel::inGroup(int row) const {
    return m_arrangement.rows[static_cast<std::size_t>(row)].group >= 0;
}

int RunTableModel::rowOf(const std::string& runId) const {
    const auto found = m_shownIndexes.find(runId);
    return found == m_shownIndexes.end() ? -1 : m_rowOfRun[static_cast<std::size_t>(found->second)];
}

int RunTableModel::headOf(int row) const {
    while (row >= 0 && inGroup(row) && !groupAt(row)) {
        --row;
    }
    return row >= 0 && groupAt(row) ? row : -1;
}

ChartedRuns RunTableModel::shownRuns() const {
    ChartedRuns runs;
    runs.reserve(m_arrangement.shown.size());
    for (std::size_t i = 0; i < m_arrangement.shown.size(); ++i) {
        const int group = m_arrangement.groupOf[i];
        runs.push_back(
            {.run = m_shown[static_cast<std::size_t>(m_arrangement.shown[i])],
             .group = group < 0 ? std::string()
                                : m_arrangement.groups[static_cast<std::size_t>(group)].title.toStdString()});
    }
    return runs;
}

std::vector<std::string> RunTableModel::runsOfGroup(int headRow) const {
    std::vector<std::string> ids;
    const int group = m_arrangement.rows[static_cast<std::size_t>(headRow)].group;
    for (std::size_t i = 0; i < m_arrangement.shown.size(); ++i) {
        if (m_arrangement.groupOf[i] == group) {
            ids.push_back(m_shown[static_cast<std::size_t>(m_arrangement.shown[i])]->id);
        }
    }
    return ids;
}

RunPtr RunTableModel::find(const std::string& runId) const {
    const auto found = m_set.indexes.find(runId);
    return found == m_set.indexes.end() ? nullptr : m_set.runs[static_cast<std::size_t>(found->second)];
}

void RunTableModel::tick() {
    const int at = columnOfId("duration");
    for (int row = 0; at >= 0 && row < rowCount(); ++row) {
        if (const auto run = runAt(row); run && run->status == tracking::RunStatus::Running) {
            emit dataChanged(index(row, at), index(row, at));
        }
    }
}

}  // namespace dailies::ui
