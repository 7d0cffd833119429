#pragma once

#include "core/analysis/correlation.h"
#include "core/analysis/table.h"
#include "ui/charts/charted_run.h"

#include <QColor>
#include <QString>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dailies::ui {

/// The runs of a plot: made once on the GUI thread, then shared with workers and never changed.
struct PlotRuns {
    explicit PlotRuns(ChartedRuns charted);

    ChartedRuns charted;
    analysis::Runs runs;         ///< the same, as core/analysis takes them
    std::vector<QColor> colors;  ///< `runColor` of each
    std::int64_t nowMs = 0;      ///< when this was made: the end of runs that go on
    std::size_t emphasizedCount = 0;

    std::size_t size() const { return runs.size(); }
    const std::string& id(std::size_t run) const { return runs[run]->id; }
    QString name(std::size_t run) const;
    std::optional<std::size_t> find(const std::string& runId) const;
    bool emphasized(std::size_t run) const { return charted[run].emphasized; }
};
using PlotRunsPtr = std::shared_ptr<const PlotRuns>;

/// " (95 % CI −0.21 to 0.98)" of a rank correlation; empty where too few runs tell.
QString intervalText(const analysis::RankCorrelation& correlation);

/// What people call a field: its key, "Start" or "Duration".
QString fieldText(const analysis::Field& field);

/// "5,000".
QString countToString(std::size_t count);

/// "4,988 runs, 12 selected": of a plot that shows so many of these runs.
QString countText(const PlotRuns& runs, std::size_t shown);

/// For a tooltip, which would take a name with markup for markup.
QString escapedToolTip(const QString& plain);

/// A column's value for CSV: the shortest number, the category, or nothing.
std::string csvValue(const analysis::Column& column, std::size_t run);

}  // namespace dailies::ui
