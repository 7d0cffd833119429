#pragma once

#include "ui/charts/series.h"

#include <QColor>
#include <QImage>
#include <QSize>

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace dailies::ui {

struct Range {
    double minimum = 0;
    double maximum = 1;
    bool operator==(const Range&) const = default;
};

struct Curve {
    std::string runId;
    QString name;
    QColor color;
    SeriesPtr series;
    bool emphasised = false;  ///< drawn last and thicker
};

/// What one chart is to show, and how large.
struct CurveScene {
    std::vector<Curve> curves;
    double smoothing = 0;  ///< weight of `series::smoothed`
    bool logarithmic = false;
    std::optional<Range> steps;  ///< of the x axis; nullopt: all steps
    QSize size;                  ///< of the plot area, device-independent
    double scale = 1;
};

/// The picture of the curves and the axes that it was drawn for.
struct CurvePicture {
    QImage image;
    Range steps;
    Range values;
    double stepTick = 1, valueTick = 1;  ///< between two labels; of the exponent on a logarithmic axis
    std::vector<Series> shown;           ///< each curve as drawn, for the crosshair
};

/// Draws the scene: one polyline a curve through the least and greatest value of every pixel column, so that
/// no spike is lost and the cost follows the width, not the number of points; the raw values faintly behind
/// smoothed ones; a tick at the top for every NaN or infinity. Pure and slow (a millisecond per curve): call
/// it off the GUI thread. Throws `Cancelled`.
CurvePicture renderCurves(const CurveScene& scene, std::stop_token stop = {});

/// Widens a range to round numbers with about `count` steps between; returns the step as second.
std::pair<Range, double> roundAxis(Range range, int count);

}  // namespace dailies::ui
