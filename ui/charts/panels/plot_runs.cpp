#include "ui/charts/panels/plot_runs.h"

#include "core/base/csv.h"
#include "ui/theme/run_colors.h"
#include "ui/widgets/widgets.h"

#include <QDateTime>
#include <QLocale>

#include <cmath>

namespace dailies::ui {

PlotRuns::PlotRuns(ChartedRuns chartedRuns)
    : charted(std::move(chartedRuns)), nowMs(QDateTime::currentMSecsSinceEpoch()) {
    runs.reserve(charted.size());
    colors.reserve(charted.size());
    for (const auto& one : charted) {
        runs.push_back(one.run);
        colors.push_back(runColor(one.run->id));
        emphasizedCount += one.emphasized ? 1 : 0;
    }
}

QString PlotRuns::name(std::size_t run) const {
    return sanitized(runs[run]->name.empty() ? runs[run]->id : runs[run]->name);
}

std::optional<std::size_t> PlotRuns::find(const std::string& runId) const {
    for (std::size_t run = 0; run < runs.size() && !runId.empty(); ++run) {
        if (id(run) == runId) {
            return run;
        }
    }
    return std::nullopt;
}

QString intervalText(const analysis::RankCorrelation& correlation) {
    if (std::isnan(correlation.low)) {
        return {};
    }
    return QStringLiteral(" (95 % CI %1 to %2)")
        .arg(correlation.low, 0, 'f', 2)
        .arg(correlation.high, 0, 'f', 2)
        .replace(u'-', QChar(0x2212));
}

QString fieldText(const analysis::Field& field) {
    switch (field.source) {
        case analysis::Field::Source::Start:
            return QStringLiteral("Start");
        case analysis::Field::Source::Duration:
            return QStringLiteral("Duration");
        case analysis::Field::Source::Param:
        case analysis::Field::Source::Metric:
            break;
    }
    return sanitized(field.key).simplified();
}

QString countToString(std::size_t count) {
    return QLocale().toString(static_cast<qulonglong>(count));
}

QString countText(const PlotRuns& runs, std::size_t shown) {
    const QString text =
        shown == 1 ? QStringLiteral("1 run") : QStringLiteral("%1 runs").arg(countToString(shown));
    return runs.emphasizedCount == 0
               ? text
               : text + QStringLiteral(", %1 selected").arg(countToString(runs.emphasizedCount));
}

QString escapedToolTip(const QString& plain) {
    return QStringLiteral("<span>") + plain.toHtmlEscaped().replace(u'\n', QStringLiteral("<br>")) +
           QStringLiteral("</span>");
}

std::string csvValue(const analysis::Column& column, std::size_t run) {
    const double value = column.values[run];
    if (std::isnan(value)) {
        return {};
    }
    return column.kind == analysis::Column::Kind::Number ? csvNumber(value)
                                                         : column.categories[static_cast<std::size_t>(value)];
}

}  // namespace dailies::ui
