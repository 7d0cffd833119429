#include "ui/viewport/pan_zoom.h"

#include <algorithm>
#include <cmath>

namespace dailies::ui {

namespace {

constexpr double kCrispFrom = 3;

}  // namespace

double PanZoom::fitScale(QSize picture, QSizeF room) {
    if (picture.isEmpty() || room.isEmpty()) return 1;
    const double scale = std::min(room.width() / picture.width(), room.height() / picture.height());
    return scale >= kCrispFrom ? std::floor(scale) : scale;
}

QRectF PanZoom::rectOf(QSize picture, QSizeF room) const {
    const QSizeF size = QSizeF(picture) * (fitScale(picture, room) * m_zoom);
    const QPointF corner(room.width() / 2 - m_centre.x() * size.width(),
                         room.height() / 2 - m_centre.y() * size.height());
    return {QPointF(std::round(corner.x()), std::round(corner.y())), size};
}

void PanZoom::showOneToOne(QSize picture, QSizeF room) {
    zoomBy(1 / (fitScale(picture, room) * m_zoom), {room.width() / 2, room.height() / 2}, picture, room);
}

void PanZoom::zoomBy(double factor, const QPointF& point, QSize picture, QSizeF room) {
    const QRectF before = rectOf(picture, room);
    if (before.isEmpty()) return;
    const QPointF held((point.x() - before.left()) / before.width(),
                       (point.y() - before.top()) / before.height());
    // Small clips may be smaller than their room at 1:1; large ones never need to be smaller than it.
    const double least = std::min(1.0, 1 / fitScale(picture, room));
    m_zoom = std::clamp(m_zoom * factor, least, kMaxZoom);
    if (std::abs(m_zoom - 1) < 1e-3) m_zoom = 1;
    const QSizeF size = QSizeF(picture) * (fitScale(picture, room) * m_zoom);
    m_centre = {held.x() + (room.width() / 2 - point.x()) / size.width(),
                held.y() + (room.height() / 2 - point.y()) / size.height()};
    keepInside(picture, room);
}

void PanZoom::moveBy(const QPointF& distance, QSize picture, QSizeF room) {
    const QSizeF size = rectOf(picture, room).size();
    if (size.isEmpty()) return;
    m_centre -= QPointF(distance.x() / size.width(), distance.y() / size.height());
    keepInside(picture, room);
}

void PanZoom::keepInside(QSize picture, QSizeF room) {
    const QSizeF size = QSizeF(picture) * (fitScale(picture, room) * m_zoom);
    const auto kept = [](double centre, double length, double space) {
        const double half = space / length / 2;
        return half >= 0.5 ? 0.5 : std::clamp(centre, half, 1 - half);
    };
    m_centre = {kept(m_centre.x(), size.width(), room.width()),
                kept(m_centre.y(), size.height(), room.height())};
}

}  // namespace dailies::ui
