#include "ui/charts/axis_painter.h"

#include "ui/theme/theme.h"

#include <QCategoryAxis>
#include <QChart>
#include <QGraphicsLayout>
#include <QGraphicsScene>
#include <QPainter>

namespace dailies::ui {

namespace {

constexpr QMargins kMargins{52, 8, 16, 26};  ///< room for labels of seven characters and for half of one

QCategoryAxis* makeAxis(const AxisTicks& ticks, bool grid) {
    auto* axis = new QCategoryAxis;
    axis->setLabelsPosition(QCategoryAxis::AxisLabelsPositionOnValue);
    axis->setLabelsFont(Theme::font(TextStyle::Caption));
    axis->setLabelsColor(colors().textFaint);
    axis->setLinePen(QPen(colors().border, 1));
    axis->setGridLinePen(QPen(colors().border, 1));
    axis->setGridLineVisible(grid);
    axis->setStartValue(0);
    for (std::size_t i = 0; i < ticks.at.size(); ++i) {
        QString text = ticks.texts[i];
        // Qt Charts takes each label once: tell equal ones apart by what nobody sees.
        while (axis->categoriesLabels().contains(text)) {
            text += QChar(0x200b);
        }
        axis->append(text, ticks.at[i]);
    }
    axis->setRange(0, 1);
    return axis;
}

}  // namespace

QRectF plotAreaOf(const QSize& size) {
    return QRectF(QPointF(0, 0), size).marginsRemoved(kMargins);
}

void drawAxes(QPainter& painter, const Axes& axes) {
    // A fresh chart each time: one that is used again keeps the axes taken off it until the event loop turns,
    // and paints them.
    QGraphicsScene scene;
    auto* chart = new QChart;
    scene.addItem(chart);
    chart->legend()->hide();
    chart->setBackgroundVisible(false);
    chart->setMargins({0, 0, 0, 0});
    chart->layout()->setContentsMargins(0, 0, 0, 0);
    // The plot area before the axes: those that are there already keep the place that they had.
    chart->resize(axes.size);
    chart->setPlotArea(axes.plot);
    chart->layout()->activate();
    auto* x = makeAxis(axes.x, false);
    auto* y = makeAxis(axes.y, true);
    chart->addAxis(x, Qt::AlignBottom);
    chart->addAxis(y, Qt::AlignLeft);
    chart->layout()->activate();
    const QRectF all(QPointF(0, 0), axes.size);
    scene.setSceneRect(all);
    scene.render(&painter, all, all);
}

QPixmap axesPicture(const Axes& axes, double scale) {
    QPixmap pixmap(axes.size * scale);
    pixmap.setDevicePixelRatio(scale);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::TextAntialiasing);
    drawAxes(painter, axes);
    return pixmap;
}

}  // namespace dailies::ui
