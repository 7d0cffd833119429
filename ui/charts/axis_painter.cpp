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

/// A fresh axis, since taking categories off an old one lays it out once for each.
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

std::shared_ptr<AxisPainter> AxisPainter::shared() {
    static std::weak_ptr<AxisPainter> last;
    auto painter = last.lock();
    if (!painter) {
        painter = std::shared_ptr<AxisPainter>(new AxisPainter);
        last = painter;
    }
    return painter;
}

AxisPainter::AxisPainter() : m_scene(std::make_unique<QGraphicsScene>()), m_chart(new QChart) {
    m_scene->addItem(m_chart);
    m_chart->legend()->hide();
    m_chart->setBackgroundVisible(false);
    m_chart->setMargins({0, 0, 0, 0});
    m_chart->layout()->setContentsMargins(0, 0, 0, 0);
}

AxisPainter::~AxisPainter() = default;

void AxisPainter::apply(const Axes& axes) {
    for (auto** axis : {&m_x, &m_y}) {
        if (*axis) {
            m_chart->removeAxis(*axis);
            delete *axis;
        }
    }
    m_x = makeAxis(axes.x, false);
    m_y = makeAxis(axes.y, true);
    m_chart->addAxis(m_x, Qt::AlignBottom);
    m_chart->addAxis(m_y, Qt::AlignLeft);
    m_chart->resize(axes.size);
    m_chart->setPlotArea(axes.plot);
    m_chart->layout()->activate();
    m_scene->setSceneRect(QRectF(QPointF(0, 0), axes.size));
}

void AxisPainter::draw(QPainter& painter, const Axes& axes) {
    apply(axes);
    const QRectF all(QPointF(0, 0), axes.size);
    m_scene->render(&painter, all, all);
}

QPixmap AxisPainter::picture(const Axes& axes, double scale) {
    QPixmap pixmap(axes.size * scale);
    pixmap.setDevicePixelRatio(scale);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::TextAntialiasing);
    draw(painter, axes);
    return pixmap;
}

}  // namespace dailies::ui
