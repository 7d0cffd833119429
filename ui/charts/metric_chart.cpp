#include "ui/charts/metric_chart.h"

#include "ui/charts/curve_item.h"
#include "ui/runs/run_text.h"
#include "ui/theme/theme.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QChart>
#include <QChartView>
#include <QGraphicsLayout>
#include <QLogValueAxis>
#include <QMouseEvent>
#include <QValueAxis>

#include <algorithm>
#include <cmath>

namespace dailies::ui {

namespace {

void styleAxis(QAbstractAxis* axis) {
    axis->setLabelsFont(Theme::font(TextStyle::Caption));
    axis->setLabelsColor(colors().textFaint);
    axis->setGridLinePen(QPen(colors().border, 1));
    axis->setLinePen(QPen(colors().border, 1));
    axis->setMinorGridLineVisible(false);
}

}  // namespace

MetricChart::MetricChart(const std::string& metric, QWidget* parent)
    : QFrame(parent),
      m_metric(metric),
      m_summary(makeLabel({}, TextStyle::Caption, TextTone::Faint)),
      m_chart(new QChart),
      m_view(new QChartView(m_chart)),
      m_stepAxis(new QValueAxis(m_chart)),
      m_valueAxis(new QValueAxis(m_chart)),
      m_logAxis(new QLogValueAxis(m_chart)),
      m_item(new CurveItem(m_chart)) {
    setProperty("card", true);
    setAccessibleName(QStringLiteral("Chart of ") + inert(metric));
    auto* column = makeColumn(0, {space::k4, space::k8, space::k4, space::k4});
    auto* header = makeRow(space::k8, {space::k12, 0, space::k12, 0});
    header->addWidget(makeLabel(inert(metric), TextStyle::Strong));
    header->addStretch();
    header->addWidget(m_summary);
    column->addLayout(header);
    column->addWidget(m_view, 1);
    setLayout(column);

    m_chart->legend()->hide();
    m_chart->setMargins({0, 0, space::k8, 0});
    m_chart->layout()->setContentsMargins(0, 0, 0, 0);
    m_chart->setBackgroundVisible(false);
    m_chart->addAxis(m_stepAxis, Qt::AlignBottom);
    m_chart->addAxis(m_valueAxis, Qt::AlignLeft);
    m_chart->addAxis(m_logAxis, Qt::AlignLeft);
    m_stepAxis->setTickType(QValueAxis::TicksDynamic);
    m_stepAxis->setLabelFormat(QStringLiteral("%d"));
    m_valueAxis->setTickType(QValueAxis::TicksDynamic);
    m_logAxis->setBase(10);
    m_logAxis->setLabelFormat(QStringLiteral("%g"));
    m_logAxis->hide();

    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setBackgroundBrush(Qt::NoBrush);
    m_view->setStyleSheet(QStringLiteral("background: transparent"));
    m_view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_view->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_view->setFocusPolicy(Qt::NoFocus);
    m_view->setMouseTracking(true);
    m_view->viewport()->installEventFilter(this);

    m_schedule.setSingleShot(true);
    m_schedule.setInterval(0);
    connect(&m_schedule, &QTimer::timeout, this, &MetricChart::render);
    connect(m_chart, &QChart::plotAreaChanged, this, [this](const QRectF& area) {
        m_item->setPlotArea(area);
        schedule();
    });
    connect(&Theme::instance(), &Theme::changed, this, &MetricChart::applyTheme);
    applyTheme();
}

void MetricChart::setCurves(std::vector<Curve> curves) {
    // The shown picture refers to the old curves until the new one is there.
    m_item->setPicture(nullptr, nullptr, false);
    m_scene.curves = std::move(curves);
    m_picture.shown.clear();
    m_item->setPicture(&m_picture, &m_scene.curves, m_scene.logarithmic);
    schedule();
}

void MetricChart::setSmoothing(double weight) {
    m_scene.smoothing = weight;
    schedule();
}

void MetricChart::setLogarithmic(bool on) {
    m_scene.logarithmic = on;
    schedule();
}

void MetricChart::schedule() {
    m_schedule.start();
}

void MetricChart::paintEvent(QPaintEvent* event) {
    QFrame::paintEvent(event);
    if (m_stale) {
        schedule();
    }
}

void MetricChart::render() {
    const QSize size = m_chart->plotArea().size().toSize();
    if (size.isEmpty()) {
        return;
    }
    // Charts scrolled out of view would cost as much as those on show, at every poll.
    m_stale = visibleRegion().isEmpty();
    if (m_stale) {
        return;
    }
    m_scene.size = size;
    m_scene.scale = devicePixelRatioF();
    m_task.cancel();
    m_rendering = true;
    m_task = runAsync(
        this, [scene = m_scene](std::stop_token stop) { return renderCurves(scene, stop); },
        [this](CurvePicture picture) { show(std::move(picture)); },
        [this](const Error&) { m_rendering = false; });
}

void MetricChart::show(CurvePicture picture) {
    m_rendering = false;
    m_picture = std::move(picture);
    m_item->setPicture(&m_picture, &m_scene.curves, m_scene.logarithmic);
    applyAxes();
    std::size_t points = 0;
    for (const auto& curve : m_scene.curves) {
        points += curve.series->size();
    }
    m_summary->setText(points == 0 ? QStringLiteral("no values yet") : QString());
    // Wider labels may have made the plot area smaller; its own signal draws again then.
}

void MetricChart::applyAxes() {
    m_stepAxis->setTickAnchor(0);
    m_stepAxis->setTickInterval(m_picture.stepTick);
    m_stepAxis->setRange(m_picture.steps.minimum, m_picture.steps.maximum);
    const bool log = m_scene.logarithmic;
    if (log) {
        m_logAxis->setRange(m_picture.values.minimum, m_picture.values.maximum);
    } else {
        const int decimals =
            std::max(0, static_cast<int>(-std::floor(std::log10(m_picture.valueTick) + 1e-9)));
        m_valueAxis->setLabelFormat(decimals > 5 ? QStringLiteral("%.0e")
                                                 : QStringLiteral("%.%1f").arg(decimals));
        m_valueAxis->setTickAnchor(0);
        m_valueAxis->setTickInterval(m_picture.valueTick);
        // A hair more than the last tick, which rounding would hide.
        m_valueAxis->setRange(m_picture.values.minimum,
                              m_picture.values.maximum + m_picture.valueTick * 1e-6);
    }
    m_valueAxis->setVisible(!log);
    m_logAxis->setVisible(log);
}

void MetricChart::applyTheme() {
    for (auto* axis : {static_cast<QAbstractAxis*>(m_stepAxis), static_cast<QAbstractAxis*>(m_valueAxis),
                       static_cast<QAbstractAxis*>(m_logAxis)}) {
        styleAxis(axis);
    }
    m_stepAxis->setGridLineVisible(false);
    schedule();
}

std::optional<double> MetricChart::stepAt(const QPointF& position) const {
    const QRectF area = m_chart->plotArea();
    if (m_picture.image.isNull() || !area.contains(position)) {
        return std::nullopt;
    }
    const Range& r = m_picture.steps;
    return r.minimum + (position.x() - area.left()) / area.width() * (r.maximum - r.minimum);
}

void MetricChart::setCrosshair(std::optional<double> step) {
    m_item->setCrosshair(step, std::nullopt);
}

bool MetricChart::eventFilter(QObject* watched, QEvent* event) {
    const auto chartPosition = [&](QMouseEvent* mouse) {
        return m_chart->mapFromScene(m_view->mapToScene(mouse->position().toPoint()));
    };
    switch (event->type()) {
        case QEvent::MouseMove: {
            const QPointF at = chartPosition(static_cast<QMouseEvent*>(event));
            const auto step = stepAt(at);
            m_item->setCrosshair(step, step ? std::optional(at.y()) : std::nullopt);
            if (m_dragFrom && step) {
                m_item->setSelection(Range{std::min(*m_dragFrom, *step), std::max(*m_dragFrom, *step)});
            }
            emit crosshairMoved(step);
            break;
        }
        case QEvent::MouseButtonPress:
            if (static_cast<QMouseEvent*>(event)->button() == Qt::LeftButton) {
                m_dragFrom = stepAt(chartPosition(static_cast<QMouseEvent*>(event)));
            }
            break;
        case QEvent::MouseButtonRelease: {
            const auto to = stepAt(chartPosition(static_cast<QMouseEvent*>(event)));
            // A shorter drag than one pixel in forty is a click with an unsteady hand.
            const double least = (m_picture.steps.maximum - m_picture.steps.minimum) / 40;
            if (m_dragFrom && to && std::abs(*to - *m_dragFrom) > least) {
                m_scene.steps = Range{std::min(*m_dragFrom, *to), std::max(*m_dragFrom, *to)};
                schedule();
            }
            m_dragFrom.reset();
            m_item->setSelection(std::nullopt);
            break;
        }
        case QEvent::MouseButtonDblClick:
            m_scene.steps.reset();
            schedule();
            break;
        case QEvent::Leave:
            m_item->setCrosshair(std::nullopt, std::nullopt);
            emit crosshairMoved(std::nullopt);
            break;
        default:
            break;
    }
    return QFrame::eventFilter(watched, event);
}

}  // namespace dailies::ui
