#pragma once

#include <QPixmap>
#include <QRectF>
#include <QSize>
#include <QString>

#include <vector>

class QPainter;

namespace dailies::ui {

/// Where an axis's ticks stand, as shares of its length, and what they are called.
struct AxisTicks {
    std::vector<double> at;
    std::vector<QString> texts;
    bool operator==(const AxisTicks&) const = default;
};

struct Axes {
    QSize size;   ///< of the whole picture, device-independent
    QRectF plot;  ///< the plot area within
    AxisTicks x, y;
    bool operator==(const Axes&) const = default;
};

/// Draws axes, grid and labels by Qt Charts. A panel keeps the result as a picture and asks again only when a
/// tick has moved, so that neither a repaint nor the crosshair lays out axes, as a live QChartView does each
/// time. GUI thread.
void drawAxes(QPainter& painter, const Axes& axes);
QPixmap axesPicture(const Axes& axes, double scale);

/// The plot area of a chart of this size: the same margins everywhere, so that charts below one another line
/// up and a longer label moves nothing.
QRectF plotAreaOf(const QSize& size);

}  // namespace dailies::ui
