#include "ui/launch/planned_runs_model.h"

#include "ui/launch/field_editor.h"
#include "ui/theme/theme.h"
#include "ui/widgets/widgets.h"

namespace dailies::ui {

void PlannedRunsModel::setRuns(std::vector<sweep::PlannedRun> runs, remote::Forecast forecast) {
    beginResetModel();
    m_runs = std::move(runs);
    m_forecast = std::move(forecast);
    m_keys.clear();
    if (!m_runs.empty()) {
        for (const auto& [key, value] : m_runs.front().varied.items()) {
            m_keys.push_back(key);
        }
    }
    m_anyRepeats = !m_forecast.repeatedRuns().empty();
    endResetModel();
}

QString PlannedRunsModel::name(int row) const {
    return sanitized(m_runs.at(static_cast<std::size_t>(row)).name);
}

int PlannedRunsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_runs.size());
}

int PlannedRunsModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_keys.size()) + (m_anyRepeats ? 2 : 1);
}

QString PlannedRunsModel::repeats(std::size_t row) const {
    if (const auto& same = m_forecast.duplicateInSweep[row]; !same.empty()) {
        return tr("Duplicate of %1").arg(sanitized(same));
    }
    if (const auto& same = m_forecast.duplicateInStore[row]; !same.empty()) {
        return tr("Already ran as %1").arg(sanitized(same));
    }
    return {};
}

QVariant PlannedRunsModel::data(const QModelIndex& index, int role) const {
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole) {
        return {};
    }
    const auto row = static_cast<std::size_t>(index.row());
    // where runs repeat others, that is said beside their names
    const int column = m_anyRepeats ? index.column() - 1 : index.column();
    if (index.column() == 0) {
        return name(index.row());
    }
    if (column == 0) {
        return repeats(row);
    }
    return configText(m_runs[row].varied.value(m_keys[static_cast<std::size_t>(column - 1)], Json()));
}

QVariant PlannedRunsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) {
        return {};
    }
    const int column = m_anyRepeats ? section - 1 : section;
    return section == 0  ? tr("Run")
           : column == 0 ? tr("Repeats")
                         : QString::fromStdString(m_keys[static_cast<std::size_t>(column - 1)]);
}

}  // namespace dailies::ui
