// What the cells of the run table say.
#include "core/base/clock.h"
#include "core/tracking/run_notes.h"
#include "core/tracking/run_time.h"
#include "ui/runs/run_table_model.h"
#include "ui/widgets/run_text.h"
#include "ui/widgets/widgets.h"

#include <algorithm>

namespace dailies::ui {

namespace {

constexpr std::size_t kMaxNotes = 1200;  ///< characters in a tooltip

template <typename Values>
QString valueOf(const Values& values, const std::string& key) {
    // A value of megabytes would be laid out anew at each painting; nobody reads more than this in a cell.
    constexpr std::size_t kMost = 400;
    const auto found = values.find(key);
    return found == values.end() ? QString() : sanitized(found->second.substr(0, kMost)).simplified();
}

}  // namespace

int RunTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_arrangement.rows.size());
}

int RunTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_columns.size());
}

Qt::ItemFlags RunTableModel::flags(const QModelIndex& index) const {
    if (!index.isValid() || groupAt(index.row())) {
        return Qt::ItemIsEnabled;
    }
    const bool name = column(index.column()).kind == Column::Kind::Name;
    return Qt::ItemIsEnabled | Qt::ItemIsSelectable | (name ? Qt::ItemIsEditable : Qt::NoItemFlags);
}

bool RunTableModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    const auto run = index.isValid() ? runAt(index.row()) : nullptr;
    const QString name = value.toString().simplified();
    if (role != Qt::EditRole || !run || name.isEmpty() || name == QString::fromStdString(run->name)) {
        return false;
    }
    emit renamed(run->id, name);
    return true;
}

QVariant RunTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) {
        return {};
    }
    const auto text = [&]() -> QString {
        if (const auto* group = groupAt(index.row())) {
            return groupText(*group, index.column());
        }
        return display(*runAt(index.row()), column(index.column()));
    };
    switch (role) {
        case Qt::DisplayRole: {
            const QString shown = text();
            return shown.isNull() ? QVariant() : QVariant(shown);
        }
        case Qt::AccessibleTextRole:
            return headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString() +
                   QStringLiteral(": ") + text();
        case Qt::ToolTipRole: {
            const auto run = runAt(index.row());
            const auto& at = column(index.column());
            if (!run) {
                const auto* summary = summaryAt(index.row(), index.column());
                if (!summary) return QVariant();
                if (summary->runs == 1) return tr("1 run with a value: %1").arg(metricText(summary->best));
                return tr("%1 runs with a value: mean %2, standard deviation %3, best %4")
                    .arg(summary->runs)
                    .arg(metricText(summary->mean), metricText(summary->deviation),
                         metricText(summary->best));
            }
            if (at.kind == Column::Kind::Notes) {
                const QString notes = sanitized(tagOf(*run, tracking::tag::kNotes).substr(0, kMaxNotes));
                return notes.isEmpty()
                           ? QVariant()
                           : QVariant(notes.toHtmlEscaped().replace(u'\n', QStringLiteral("<br>")));
            }
            if (at.kind == Column::Kind::Status) {
                return reasonText(*run).isEmpty() ? QVariant() : QVariant(reasonText(*run));
            }
            if (at.kind == Column::Kind::Duration) {
                return wallTimeText(*run, unixMillis());
            }
            if (at.kind == Column::Kind::Metric && !at.best) {
                const auto found = run->metrics.find(at.key);
                return found == run->metrics.end() ? QVariant()
                                                   : QVariant(tr("at step %1").arg(found->second.step));
            }
            return {};
        }
        case Qt::EditRole: {
            const auto run = runAt(index.row());
            return run ? QVariant(QString::fromStdString(run->name)) : QVariant();
        }
        case IdRole: {
            const auto run = runAt(index.row());
            return run ? QVariant(QString::fromStdString(run->id)) : QVariant();
        }
        default:
            return {};
    }
}

QString RunTableModel::display(const tracking::Run& run, const Column& column) const {
    switch (column.kind) {
        case Column::Kind::Name:
            return sanitized(run.name.substr(0, 400)).simplified();
        case Column::Kind::Status: {
            const QString reason = reasonText(run);
            return reason.isEmpty() || run.status == tracking::RunStatus::Running
                       ? statusText(run)
                       : statusText(run) + QStringLiteral(" · ") + reason;
        }
        case Column::Kind::Sweep:
            return sanitized(tagOf(run, tracking::tag::kSweepName));
        case Column::Kind::Experiment:
            return sanitized(run.experiment);
        case Column::Kind::Param:
            return valueOf(run.params, column.key);
        case Column::Kind::Tag:
            return valueOf(run.tags, column.key);
        case Column::Kind::Notes:
            return valueOf(run.tags, tracking::tag::kNotes);
        case Column::Kind::Metric: {
            if (column.best) {
                const auto values = m_best ? m_best->find(column.key) : BestValues::const_iterator{};
                if (!m_best || values == m_best->end()) {
                    return run.metrics.contains(column.key) ? QStringLiteral("…") : QString();
                }
                const auto found = values->second.find(run.id);
                return found == values->second.end() ? QString() : metricText(found->second);
            }
            const auto found = run.metrics.find(column.key);
            return found == run.metrics.end() ? QString() : metricText(found->second.value);
        }
        case Column::Kind::Curve:
            return {};
        case Column::Kind::Duration:
            return durationText(tracking::trainingMs(run, unixMillis()));
        case Column::Kind::Started:
            return timeText(run.startMs);
    }
    return {};
}

QString RunTableModel::groupText(const RunGroup& group, int column) const {
    const Column& at = this->column(column);
    if (at.kind == Column::Kind::Name) {
        return tr("%1 (%2)").arg(group.title).arg(group.runs);
    }
    const auto found = std::find(m_spec.metrics.begin(), m_spec.metrics.end(), at);
    const auto i = static_cast<std::size_t>(found - m_spec.metrics.begin());
    if (found == m_spec.metrics.end() || i >= group.metrics.size() || group.metrics[i].runs == 0) {
        return {};
    }
    const Summary& summary = group.metrics[i];
    if (at.best) {
        return metricText(summary.best);
    }
    return summary.runs == 1
               ? metricText(summary.mean)
               : tr("%1 ± %2").arg(metricText(summary.mean), QString::number(summary.deviation, 'g', 2));
}

QVariant RunTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) {
        return {};
    }
    const Column& at = column(section);
    const auto number = [&] {
        if (at.kind == Column::Kind::Param) {
            const auto& runs = m_set.runs;
            const auto with = std::find_if(runs.begin(), runs.end(),
                                           [&](const RunPtr& run) { return run->params.contains(at.key); });
            bool isNumber = false;
            if (with != runs.end()) {
                valueOf((*with)->params, at.key).toDouble(&isNumber);
            }
            return isNumber;
        }
        return at.kind == Column::Kind::Metric || at.kind == Column::Kind::Duration;
    };
    switch (role) {
        case Qt::DisplayRole:
            if (at.best) {
                return tr("%1 %2").arg(goalOf(at.key) == sweep::Goal::Maximize ? tr("max") : tr("min"),
                                       sanitized(at.title));
            }
            return sanitized(at.title);
        case Qt::ToolTipRole: {
            const QString key = sanitized(at.key.empty() ? at.title : at.key);
            if (at.kind == Column::Kind::Metric) {
                return at.best ? tr("%1: the best value of each run").arg(key)
                               : tr("%1: the newest value of each run").arg(key);
            }
            return at.kind == Column::Kind::Curve ? tr("%1 over the steps").arg(key) : key;
        }
        case Qt::TextAlignmentRole:
            return QVariant::fromValue(
                Qt::Alignment((number() ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter));
        default:
            return {};
    }
}

}  // namespace dailies::ui
