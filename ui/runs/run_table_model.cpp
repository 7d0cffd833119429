#include "ui/runs/run_table_model.h"

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/config/schema.h"
#include "ui/runs/run_text.h"

#include <algorithm>
#include <map>
#include <set>

namespace dailies::ui {

namespace {

constexpr std::size_t kMetricColumns = 3;

std::vector<std::string> paramKeys(const std::vector<RunPtr>& runs, bool differingOnly) {
    std::map<std::string, std::set<std::string>> values;
    std::map<std::string, std::size_t> present;
    for (const auto& run : runs) {
        for (const auto& [key, value] : run->params) {
            values[key].insert(value);
            ++present[key];
        }
    }
    std::vector<std::string> keys;
    for (const auto& [key, seen] : values) {
        if (!differingOnly || seen.size() > 1 || present[key] < runs.size()) {
            keys.push_back(key);
        }
    }
    // The schema's order where the schema knows the key, then the rest by name (runs of other trainers).
    const auto rank = [](const std::string& key) {
        const auto& schema = config::trainSchema();
        const auto at =
            std::find_if(schema.begin(), schema.end(), [&](const auto& f) { return f.key == key; });
        return at - schema.begin();
    };
    std::vector<std::pair<std::ptrdiff_t, std::string>> ranked;
    for (const auto& key : keys) {
        ranked.emplace_back(rank(key), key);
    }
    std::sort(ranked.begin(), ranked.end());
    std::transform(ranked.begin(), ranked.end(), keys.begin(), [](const auto& r) { return r.second; });
    return keys;
}

QVariant numberOrText(const std::string& text) {
    bool number = false;
    const double value = QString::fromStdString(text).toDouble(&number);
    return number ? QVariant(value) : QVariant(QString::fromStdString(text).toLower());
}

/// Active runs first, then by how they ended.
int statusRank(const tracking::Run& run) {
    switch (run.status) {
        case tracking::RunStatus::Running:
            return 0;
        case tracking::RunStatus::Scheduled:
            return 1;
        case tracking::RunStatus::Failed:
            return 2;
        case tracking::RunStatus::Killed:
            return 3;
        case tracking::RunStatus::Finished:
            return 4;
    }
    return 5;
}

QString searchText(const tracking::Run& run) {
    QString text = QString::fromStdString(run.name) + u' ' + QString::fromStdString(run.id) + u' ' +
                   QString::fromStdString(run.experiment) + u' ' +
                   QString::fromStdString(tagOf(run, tracking::tag::kSweepName)) + u' ' + statusText(run) +
                   u' ' + QString::fromStdString(tagOf(run, tracking::tag::kSlurmState)) + u' ' +
                   reasonText(run);
    for (const auto& [key, value] : run.params) {
        text += u' ' + QString::fromStdString(key) + u'=' + QString::fromStdString(value);
    }
    return text.toLower();
}

}  // namespace

std::vector<std::string> metricOrder(std::vector<std::string> keys) {
    const auto rank = [](const std::string& key) {
        if (key == "loss" || key == "train/loss") {
            return 0;
        }
        if (key == "adherence") {
            return 1;
        }
        return key.find("loss") != std::string::npos ? 2 : 3;
    };
    std::sort(keys.begin(), keys.end(),
              [&](const auto& a, const auto& b) { return std::pair(rank(a), a) < std::pair(rank(b), b); });
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    return keys;
}

std::vector<RunPtr> shareRuns(std::vector<tracking::Run> runs) {
    std::vector<RunPtr> shared;
    shared.reserve(runs.size());
    for (auto& run : runs) {
        shared.push_back(std::make_shared<const tracking::Run>(std::move(run)));
    }
    return shared;
}

RunTableModel::RunTableModel(QObject* parent) : QAbstractTableModel(parent) {
    rebuildColumns();
}

void RunTableModel::setRuns(std::vector<RunPtr> runs) {
    std::set<std::string> ids;
    for (const auto& run : runs) {
        ids.insert(run->id);
    }
    for (int row = static_cast<int>(m_runs.size()) - 1; row >= 0; --row) {
        if (!ids.contains(run(row).id)) {
            beginRemoveRows({}, row, row);
            m_runs.erase(m_runs.begin() + row);
            endRemoveRows();
        }
    }
    reindex();
    // New rows usually stand together at the top: inserted as one block, so that a first load is one signal.
    for (std::size_t at = 0; at < runs.size();) {
        std::size_t end = at;
        while (end < runs.size() && !m_rows.contains(runs[end]->id)) {
            ++end;
        }
        if (end > at) {
            const auto where = std::min(at, m_runs.size());
            beginInsertRows({}, static_cast<int>(where), static_cast<int>(where + end - at) - 1);
            m_runs.insert(m_runs.begin() + static_cast<std::ptrdiff_t>(where),
                          runs.begin() + static_cast<std::ptrdiff_t>(at),
                          runs.begin() + static_cast<std::ptrdiff_t>(end));
            endInsertRows();
        }
        at = end + 1;
    }
    reindex();
    updateRuns(runs);
}

void RunTableModel::updateRuns(const std::vector<RunPtr>& runs) {
    int first = rowCount();
    int last = -1;
    for (const auto& run : runs) {
        if (const int row = rowOf(run->id); row >= 0) {
            m_runs[static_cast<std::size_t>(row)] = run;
            first = std::min(first, row);
            last = std::max(last, row);
        }
    }
    if (last >= first) {
        emit dataChanged(index(first, 0), index(last, columnCount() - 1));
    }
    rebuildColumns();
}

void RunTableModel::setDiffersOnly(bool on) {
    m_differsOnly = on;
    rebuildColumns();
}

void RunTableModel::setMetricColumns(std::vector<std::string> keys) {
    m_chosenMetrics = metricOrder(std::move(keys));
    m_metricsChosen = true;
    rebuildColumns();
}

std::vector<std::string> RunTableModel::metricColumns() const {
    std::vector<std::string> keys;
    for (const auto& column : m_columns) {
        if (column.kind == Kind::Metric) {
            keys.push_back(column.key);
        }
    }
    return keys;
}

void RunTableModel::tick() {
    const auto column = std::find_if(m_columns.begin(), m_columns.end(),
                                     [](const Column& c) { return c.kind == Kind::Duration; });
    const int at = static_cast<int>(column - m_columns.begin());
    for (int row = 0; row < rowCount(); ++row) {
        if (run(row).status == tracking::RunStatus::Running) {
            emit dataChanged(index(row, at), index(row, at));
        }
    }
}

RunPtr RunTableModel::find(const std::string& runId) const {
    const int row = rowOf(runId);
    return row < 0 ? nullptr : m_runs[static_cast<std::size_t>(row)];
}

int RunTableModel::rowOf(const std::string& runId) const {
    const auto found = m_rows.find(runId);
    return found == m_rows.end() ? -1 : found->second;
}

void RunTableModel::reindex() {
    m_rows.clear();
    for (std::size_t i = 0; i < m_runs.size(); ++i) {
        m_rows.emplace(m_runs[i]->id, static_cast<int>(i));
    }
}

void RunTableModel::rebuildColumns() {
    std::vector<std::string> keys;
    for (const auto& run : m_runs) {
        for (const auto& [key, point] : run->metrics) {
            keys.push_back(key);
        }
    }
    m_metricKeys = metricOrder(std::move(keys));
    m_varied = paramKeys(m_runs, true);

    std::vector<Column> columns{
        {Kind::Name, {}, "Run"}, {Kind::Status, {}, "Status"}, {Kind::Sweep, {}, "Sweep"}};
    const auto params = m_differsOnly ? m_varied : paramKeys(m_runs, false);
    const auto titles = shortKeys(params);
    for (std::size_t i = 0; i < params.size(); ++i) {
        columns.push_back({Kind::Param, params[i], titles[i]});
    }
    auto metrics = m_chosenMetrics;
    if (!m_metricsChosen) {
        metrics.assign(m_metricKeys.begin(),
                       m_metricKeys.begin() +
                           static_cast<std::ptrdiff_t>(std::min(kMetricColumns, m_metricKeys.size())));
    }
    for (const auto& key : metrics) {
        columns.push_back({Kind::Metric, key, key});
    }
    columns.push_back({Kind::Duration, {}, "Duration"});
    columns.push_back({Kind::Started, {}, "Started"});
    if (columns == m_columns) {
        return;
    }
    beginResetModel();
    m_columns = std::move(columns);
    endResetModel();
    emit columnsChanged();
}

int RunTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_runs.size());
}

int RunTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_columns.size());
}

QVariant RunTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) {
        return {};
    }
    const tracking::Run& row = run(index.row());
    const Column& at = column(index.column());
    switch (role) {
        case Qt::DisplayRole:
            return display(row, at);
        case Qt::AccessibleTextRole:
            return headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString() +
                   QStringLiteral(": ") + display(row, at).toString();
        case Qt::ToolTipRole:
            return at.kind == Kind::Status && !reasonText(row).isEmpty() ? QVariant(reasonText(row))
                                                                         : QVariant();
        case SortRole:
            return sortKey(row, at);
        case SearchRole:
            return searchText(row);
        case IdRole:
            return QString::fromStdString(row.id);
        default:
            return {};
    }
}

QVariant RunTableModel::display(const tracking::Run& run, const Column& column) const {
    switch (column.kind) {
        case Kind::Name:
            return QString::fromStdString(run.name);
        case Kind::Status: {
            const QString reason = reasonText(run);
            return reason.isEmpty() || run.status == tracking::RunStatus::Running
                       ? statusText(run)
                       : statusText(run) + QStringLiteral(" · ") + reason;
        }
        case Kind::Sweep:
            return QString::fromStdString(tagOf(run, tracking::tag::kSweepName));
        case Kind::Param: {
            const auto found = run.params.find(column.key);
            return found == run.params.end() ? QVariant() : QVariant(QString::fromStdString(found->second));
        }
        case Kind::Metric: {
            const auto found = run.metrics.find(column.key);
            return found == run.metrics.end() ? QVariant() : QVariant(metricText(found->second.value));
        }
        case Kind::Duration:
            return durationText(durationMs(run, unixMillis()));
        case Kind::Started:
            return timeText(run.startMs);
    }
    return {};
}

QVariant RunTableModel::sortKey(const tracking::Run& run, const Column& column) const {
    switch (column.kind) {
        case Kind::Status:
            return statusRank(run);
        case Kind::Param: {
            const auto found = run.params.find(column.key);
            return found == run.params.end() ? QVariant() : numberOrText(found->second);
        }
        case Kind::Metric: {
            const auto found = run.metrics.find(column.key);
            return found == run.metrics.end() ? QVariant() : QVariant(found->second.value);
        }
        case Kind::Duration:
            return static_cast<double>(durationMs(run, unixMillis()));
        case Kind::Started:
            return static_cast<double>(run.startMs);
        case Kind::Name:
        case Kind::Sweep:
            return display(run, column).toString().toLower();
    }
    return {};
}

QVariant RunTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) {
        return {};
    }
    const Column& at = column(section);
    if (role == Qt::ToolTipRole) {
        return QString::fromStdString(at.key);
    }
    if (role == Qt::TextAlignmentRole) {
        const bool number = at.kind == Kind::Metric || at.kind == Kind::Param || at.kind == Kind::Duration;
        return QVariant::fromValue((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    return QString::fromStdString(at.title);
}

}  // namespace dailies::ui
