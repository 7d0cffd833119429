#include "ui/charts/panels/line_rasterizer.h"

#include <QImage>
#include <QPainter>
#include <QPen>

#include <algorithm>
#include <cmath>

namespace dailies::ui {

namespace {

/// `over` in front of `under`, as far as `alpha` of 256 says; both premultiplied.
QRgb blended(QRgb under, QRgb over, unsigned alpha) {
    // Two channels at a time; the opacity is rounded up so that none overflows into the next.
    constexpr unsigned kEven = 0x00ff00ff;
    const unsigned rest = 256 - ((static_cast<unsigned>(qAlpha(over)) * alpha + 255) >> 8);
    const unsigned low = ((over & kEven) * alpha + (under & kEven) * rest) >> 8 & kEven;
    const unsigned high = ((over >> 8 & kEven) * alpha + (under >> 8 & kEven) * rest) & ~kEven;
    return low | high;
}

}  // namespace

LineRasterizer::LineRasterizer(QPainter& painter)
    : m_painter(painter), m_image(dynamic_cast<QImage*>(painter.device())) {
    const QTransform transform = painter.deviceTransform();
    const bool moved = transform.dx() != 0 || transform.dy() != 0;
    if (m_image && (moved || m_image->format() != QImage::Format_ARGB32_Premultiplied)) {
        m_image = nullptr;
    }
    m_scale = m_image ? m_image->devicePixelRatio() : 1;
}

void LineRasterizer::draw(const QPointF& from, const QPointF& to, const QColor& color, double width) {
    if (!m_image || std::abs(to.x() - from.x()) * m_scale < 2) {
        m_painter.setPen(QPen(color, width));
        m_painter.drawLine(from, to);
        return;
    }
    const QPointF a = (from.x() < to.x() ? from : to) * m_scale,
                  b = (from.x() < to.x() ? to : from) * m_scale;
    const double slope = (b.y() - a.y()) / (b.x() - a.x());
    // The line's height at one x, and how much of it a column of breadth 1 smears.
    const double half = 0.5 * width * m_scale * std::hypot(1, slope);
    const double smear = 0.5 * std::abs(slope);
    const double plateau = std::min(1.0, 2 * half / std::max(2 * smear, 1e-9));
    const QRgb ink = qPremultiply(color.rgba());
    const int rows = m_image->height();
    const auto stride = m_image->bytesPerLine();
    uchar* const bits = m_image->bits();
    const int first = std::max(0, static_cast<int>(std::floor(a.x())));
    const int last = std::min(m_image->width() - 1, static_cast<int>(std::ceil(b.x())) - 1);
    for (int x = first; x <= last; ++x) {
        const double share = std::min(b.x(), x + 1.0) - std::max(a.x(), static_cast<double>(x));
        const double middle = a.y() + slope * (x + 0.5 - a.x());
        // Coverage is 1 (or the plateau of a line thinner than its smear) in the middle and falls linearly.
        const double outer = half + smear, inner = std::abs(half - smear);
        const double fall = std::max(outer - inner, 1.0);
        const double edge = (outer + inner) / 2 + fall / 2;
        const int top = std::max(0, static_cast<int>(std::floor(middle - edge)));
        const int bottom = std::min(rows - 1, static_cast<int>(std::floor(middle + edge)));
        auto* pixel = reinterpret_cast<QRgb*>(bits + static_cast<std::ptrdiff_t>(top) * stride) + x;
        for (int y = top; y <= bottom; ++y) {
            const double distance = std::abs(y + 0.5 - middle);
            const double cover = std::clamp((edge - distance) / fall, 0.0, 1.0) * plateau * share;
            *pixel = blended(*pixel, ink, static_cast<unsigned>(cover * 256));
            pixel = reinterpret_cast<QRgb*>(reinterpret_cast<uchar*>(pixel) + stride);
        }
    }
}

}  // namespace dailies::ui
