#include "ui/charts/curve_item.h"

#include "ui/runs/run_text.h"
#include "ui/theme/theme.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace dailies::ui {

namespace {
constexpr std::size_t kBoxLines = 8;
constexpr double kLineHeight = 18;
constexpr double kMaxNameWidth = 180;
}  // namespace

CurveItem::CurveItem(QGraphicsItem* parent) : QGraphicsItem(parent) {
    setZValue(10);
}

void CurveItem::setPlotArea(const QRectF& area) {
    prepareGeometryChange();
    m_area = area;
    update();
}

void CurveItem::setPicture(const CurvePicture* picture, const std::vector<Curve>* curves, bool logarithmic) {
    m_picture = picture;
    m_curves = curves;
    m_logarithmic = logarithmic;
    update();
}

void CurveItem::setCrosshair(std::optional<double> step, std::optional<double> pointerY) {
    m_crosshair = step;
    m_pointerY = pointerY;
    update();
}

void CurveItem::setSelection(std::optional<Range> steps) {
    m_selection = steps;
    update();
}

double CurveItem::xOf(double step) const {
    const Range& r = m_picture->steps;
    return m_area.left() + (step - r.minimum) / (r.maximum - r.minimum) * m_area.width();
}

double CurveItem::yOf(double value) const {
    Range r = m_picture->values;
    if (m_logarithmic) {
        value = std::log10(value);
        r = {std::log10(r.minimum), std::log10(r.maximum)};
    }
    return m_area.bottom() - (value - r.minimum) / (r.maximum - r.minimum) * m_area.height();
}

void CurveItem::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) {
    if (!m_picture || m_picture->image.isNull()) {
        return;
    }
    painter->save();
    painter->setClipRect(m_area.adjusted(-1, -1, 1, 1));
    painter->setRenderHint(QPainter::SmoothPixmapTransform,
                           m_picture->image.deviceIndependentSize() != m_area.size());
    painter->drawImage(m_area, m_picture->image);
    if (m_selection) {
        QColor soft = colors().accent;
        soft.setAlphaF(0.18f);
        painter->fillRect(QRectF(QPointF(xOf(m_selection->minimum), m_area.top()),
                                 QPointF(xOf(m_selection->maximum), m_area.bottom())),
                          soft);
    }
    if (m_crosshair) {
        paintCrosshair(painter);
    }
    painter->restore();
}

std::vector<CurveItem::Reading> CurveItem::readings() const {
    std::vector<Reading> result;
    for (std::size_t i = 0; i < m_curves->size() && i < m_picture->shown.size(); ++i) {
        const Curve& curve = (*m_curves)[i];
        const auto& shown = m_picture->shown[i];
        if (shown.empty() || *m_crosshair > shown.back().x + 0.5 * m_picture->stepTick) {
            continue;
        }
        const series::Point point = shown[nearestIndex(shown, *m_crosshair)];
        const double y = std::isfinite(point.y) ? yOf(point.y) : m_area.top();
        result.push_back({QPointF(xOf(point.x), y), &curve, point.x, point.y});
    }
    return result;
}

void CurveItem::paintCrosshair(QPainter* painter) const {
    const double x = xOf(*m_crosshair);
    if (x < m_area.left() || x > m_area.right()) {
        return;
    }
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(colors().textFaint, 1));
    painter->drawLine(QPointF(x, m_area.top()), QPointF(x, m_area.bottom()));
    auto found = readings();
    for (const auto& reading : found) {
        painter->setPen(QPen(colors().surface, 1.5));
        painter->setBrush(reading.curve->color);
        painter->drawEllipse(reading.at, 4, 4);
    }
    if (m_pointerY && !found.empty()) {
        paintBox(painter, std::move(found));
    }
}

void CurveItem::paintBox(QPainter* painter, std::vector<Reading> found) const {
    // The curves nearest to the pointer, then in the order in which they lie above one another.
    std::sort(found.begin(), found.end(), [&](const Reading& a, const Reading& b) {
        return std::abs(a.at.y() - *m_pointerY) < std::abs(b.at.y() - *m_pointerY);
    });
    const std::size_t hidden = found.size() > kBoxLines ? found.size() - kBoxLines : 0;
    found.resize(found.size() - hidden);
    std::sort(found.begin(), found.end(),
              [](const Reading& a, const Reading& b) { return a.at.y() < b.at.y(); });

    const QFont captions = Theme::font(TextStyle::Caption);
    const QFontMetricsF metrics(captions);
    double nameWidth = 0;
    double valueWidth = 0;
    for (const auto& reading : found) {
        nameWidth = std::max(nameWidth, metrics.horizontalAdvance(reading.curve->name));
        valueWidth = std::max(valueWidth, metrics.horizontalAdvance(metricText(reading.value)));
    }
    nameWidth = std::min(nameWidth, kMaxNameWidth);
    const double width = space::k12 + 10 + nameWidth + space::k12 + valueWidth + space::k12;
    const double height =
        space::k8 + kLineHeight * (static_cast<double>(found.size()) + 1 + (hidden ? 1 : 0)) + space::k4;
    double left = xOf(*m_crosshair) + space::k12;
    if (left + width > m_area.right()) {
        left = std::max(m_area.left(), xOf(*m_crosshair) - space::k12 - width);
    }
    const double top =
        std::clamp(*m_pointerY - height / 2, m_area.top(), std::max(m_area.top(), m_area.bottom() - height));

    QColor background = colors().raised;
    background.setAlphaF(0.96f);
    painter->setPen(QPen(colors().borderStrong, 1));
    painter->setBrush(background);
    painter->drawRoundedRect(QRectF(left, top, width, height), kRadius, kRadius);
    painter->setFont(captions);

    QRectF line(left + space::k12, top + space::k4, width - 2 * space::k12, kLineHeight);
    painter->setPen(colors().textFaint);
    painter->drawText(line, Qt::AlignVCenter | Qt::AlignLeft,
                      QStringLiteral("step %1").arg(std::llround(found.front().step)));
    for (const auto& reading : found) {
        line.translate(0, kLineHeight);
        painter->setPen(Qt::NoPen);
        painter->setBrush(reading.curve->color);
        painter->drawEllipse(QPointF(line.left() + 3, line.center().y()), 3, 3);
        painter->setPen(colors().text);
        painter->drawText(line.adjusted(10, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft,
                          metrics.elidedText(reading.curve->name, Qt::ElideMiddle, nameWidth));
        painter->drawText(line, Qt::AlignVCenter | Qt::AlignRight, metricText(reading.value));
    }
    if (hidden > 0) {
        line.translate(0, kLineHeight);
        painter->setPen(colors().textFaint);
        painter->drawText(line, Qt::AlignVCenter | Qt::AlignLeft, QStringLiteral("and %1 more").arg(hidden));
    }
}

}  // namespace dailies::ui
