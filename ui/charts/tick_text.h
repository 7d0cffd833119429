#pragma once

#include "core/series/axis.h"
#include "ui/charts/curve_scene.h"

#include <QString>

#include <vector>

namespace dailies::ui {

/// The words at an axis's ticks. Pure functions; any thread.

/// "0.25", "12.5k", "3M", "1.5e-5": no more digits than tell neighbouring ticks apart.
QString numberText(double value, double step);
/// "0:30", "1:45 h", "3 d": seconds since the run began.
QString spanText(double seconds, double step);
/// "14:32", "21 Nov": the local time.
QString clockText(double unixSeconds, double step);

/// Labels of all ticks of the x or the y axis of a chart with these settings.
std::vector<QString> xTickTexts(const series::Axis& axis, const CurveSettings& settings);
std::vector<QString> yTickTexts(const series::Axis& axis, const CurveSettings& settings);

/// One place of the x axis in full, for the value box: "step 1,200", "1 h 23 min", "21 Nov 14:32:07".
QString xText(double x, const CurveSettings& settings);
/// What the x axis is called: "step", "time", "time since start", or the metric's name.
QString xTitle(const XAxis& axis);

}  // namespace dailies::ui
