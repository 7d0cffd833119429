#pragma once

#include "core/series/axis.h"
#include "core/series/band.h"
#include "core/series/series.h"
#include "core/series/trace.h"
#include "ui/charts/curve_cache.h"

#include <QColor>
#include <QString>

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace dailies::ui {

using series::Range;

/// What the x of a chart is.
struct XAxis {
    enum class Kind {
        Step,
        WallTime,  ///< seconds of unix time
        Relative,  ///< seconds since the run began
        Metric,    ///< another metric of the run that only grows: samples, tokens, epoch
    };
    Kind kind = Kind::Step;
    std::string metric = {};
    bool operator==(const XAxis&) const = default;
};

/// How curves are drawn, the same for all charts of a grid unless a chart chose otherwise.
struct CurveSettings {
    double smoothing = 0;  ///< weight of `series::smoothed`
    XAxis x = {};
    bool logX = false, logY = false;
    series::Spread spread = series::Spread::Deviation;  ///< the band of groups
    bool showAll = false;                               ///< never cut outliers off
    bool operator==(const CurveSettings&) const = default;
};

/// One run's curve as the store gave it, and how to draw it.
struct CurveInput {
    std::string runId;
    QString name;
    QColor color;
    std::string group = {};
    QColor groupColor = {};
    bool emphasized = false;
    std::int64_t startMs = 0;  ///< of the run; 0: not known
    CurveSource values = {};
    CurveSource x = {};  ///< of the metric that is the x axis, when one is
    RunEventsPtr events = {};
};

/// A curve in the units of its axes: x mapped, smoothed, logarithms taken. Never changed once made.
struct PreparedCurve {
    series::TracePtr raw;             ///< as logged
    series::TracePtr line;            ///< smoothed; the same as `raw` when smoothing is off
    series::TracePtr plain;           ///< of a group's run: `line` without logarithms of y, for the mean
    std::vector<series::Mark> marks;  ///< values that are no numbers
    std::vector<double> steps;        ///< of raw's segments, where x is not the step
    std::size_t withoutPlace = 0;     ///< values ≤ 0 on a logarithmic axis
    double stepOf(std::size_t index) const { return steps.empty() ? (*raw)[index].x1 : steps[index]; }
    /// x of a step, between the segments around it; NaN outside of the curve.
    double xOfStep(double step, bool logX) const;
};
using PreparedPtr = std::shared_ptr<const PreparedCurve>;

/// Pure; takes about 20 ns a point. Any thread.
PreparedPtr prepareCurve(const CurveInput& input, const CurveSettings& settings);

/// Keeps what was prepared until its source or the settings change, so that a new point of one run costs that
/// run alone. One chart's, used by one thread at a time.
class PreparedCache {
public:
    PreparedPtr get(const CurveInput& input, const CurveSettings& settings);
    /// Forgets the runs that were not asked for since the last call.
    void trim();

private:
    struct Entry {
        CurveSource values, x;
        CurveSettings settings;
        PreparedPtr prepared;
        bool used = false;
    };
    std::unordered_map<std::string, Entry> m_entries;
};

}  // namespace dailies::ui
