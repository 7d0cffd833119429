#pragma once

#include "ui/theme/tokens.h"

#include <QPixmap>
#include <QRectF>
#include <QSize>
#include <QString>

#include <memory>
#include <vector>

class QChart;
class QCategoryAxis;
class QGraphicsScene;
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

/// Draws axes, grid and labels by Qt Charts: one chart, used as a pen for all panels. A panel keeps the
/// result as a picture and asks again only when a tick has moved, so that neither a repaint nor the crosshair
/// lays out axes (a live QChartView does, about a millisecond each time). GUI thread.
class AxisPainter {
public:
    /// One for everybody, which lives as long as somebody holds it.
    static std::shared_ptr<AxisPainter> shared();
    ~AxisPainter();

    void draw(QPainter& painter, const Axes& axes);
    QPixmap picture(const Axes& axes, double scale);

private:
    AxisPainter();
    void apply(const Axes& axes);

    std::unique_ptr<QGraphicsScene> m_scene;
    QChart* m_chart;
    QCategoryAxis* m_x = nullptr;
    QCategoryAxis* m_y = nullptr;
};

/// The plot area of a chart of this size: the same margins everywhere, so that charts below one another line
/// up and a longer label moves nothing.
QRectF plotAreaOf(const QSize& size);

}  // namespace dailies::ui
