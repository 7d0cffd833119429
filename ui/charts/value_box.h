#pragma once

#include "ui/charts/curve_renderer.h"

#include <QRectF>
#include <QString>

#include <optional>
#include <vector>

class QPainter;

namespace dailies::ui {

/// What one curve says where the crosshair stands.
struct Reading {
    const ShownCurve* curve = nullptr;
    double x = 0, y = 0;                ///< in the axes' units
    double value = 0;                   ///< as logged, or smoothed
    std::optional<double> raw = {};     ///< as logged, when smoothing shows something else
    std::optional<double> around = {};  ///< ± of a group
    int runs = 1;                       ///< of a group at this place
    double step = 0;
};

/// Every curve's value at that x, greatest first; curves that do not reach there say nothing.
std::vector<Reading> readingsAt(const CurvePicture& picture, double x);
/// The nearest to y (in the axis's units), and how far away it is; null when there is none.
const Reading* nearestReading(const std::vector<Reading>& readings, double y);

/// Which readings the box shows: the greatest, and always the nearest; the rest is counted.
struct BoxLines {
    std::vector<const Reading*> lines;
    std::size_t more = 0;
};
BoxLines boxLines(const std::vector<Reading>& readings, const Reading* nearest);

/// What stands above the columns of the box: "Smoothed" and "Logged", "Mean" and "Runs", or "Value" alone.
struct BoxHeads {
    QString value, aside;
};
BoxHeads boxHeads(const BoxLines& box);

/// The box beside the crosshair, within `bounds`.
void paintValueBox(QPainter& painter, const QRectF& bounds, const QPointF& pointer, const QString& title,
                   const BoxLines& box, const Reading* nearest);

}  // namespace dailies::ui
