#pragma once

#include "core/series/raster.h"
#include "ui/charts/curve_scene.h"

#include <QImage>
#include <QSize>

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace dailies::ui {

/// What one chart is to show, and how large.
struct CurveScene {
    std::vector<CurveInput> curves;
    CurveSettings settings;
    std::optional<Range> x;    ///< in the axis's units (see `onAxis`); nullopt: everything
    std::string hovered = {};  ///< this run comes forward, the others fade
    QSize size;                ///< of the plot area, device-independent
    double scale = 1;
    int coarser = 1;  ///< draws that many device pixels as one: while dragging on a busy machine
    std::shared_ptr<PreparedCache> cache = {};
};

/// A curve on the picture: a run's, or a group's mean.
struct ShownCurve {
    std::string runId;  ///< empty: a group's mean
    QString name;
    QColor color;
    bool emphasized = false;
    PreparedPtr prepared;    ///< of a run
    series::Band band = {};  ///< of a group: x in the axis's units, values as logged
    int runs = 1;            ///< in the group
};

/// Something that happened to runs at one place of the x axis.
struct EventTick {
    enum class Kind { Checkpoint, Restart };
    double x = 0;
    Kind kind = Kind::Checkpoint;
    QColor color;
    QString text;  ///< for the tooltip
    int more = 0;  ///< others at the same pixel
};

/// The picture of the curves and the axes that it was drawn for.
struct CurvePicture {
    QImage image;
    series::Axis x, y;  ///< logarithms where the settings say so
    CurveSettings settings;
    std::vector<ShownCurve> shown;
    std::vector<EventTick> events;
    series::OutOfRangeCounts leftOut;  ///< values beyond the axis
    std::size_t withoutPlace = 0;      ///< values ≤ 0 on logarithmic axes
    std::size_t points = 0;            ///< segments drawn from; 0: nothing to show
    Range everything;                  ///< the whole x range
    bool nothingInRange = false;       ///< every curve ends before the window or begins after it
    double milliseconds = 0;           ///< what the drawing took
};

/// Draws the scene: for each curve the span of every pixel column (`series::Canvas`), so that no spike is
/// lost and the cost follows the width, not the number of points; the raw values faintly behind smoothed ones
/// and behind the band of a group; a tick at the edge for every NaN or infinity. On two threads when it is
/// much. Pure and slow: call it off the GUI thread. Throws `Cancelled`.
CurvePicture renderCurves(const CurveScene& scene, std::stop_token stop = {});

}  // namespace dailies::ui
