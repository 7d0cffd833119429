#include "ui/viewport/scope_view.h"

#include "core/quality/scopes.h"
#include "ui/theme/theme.h"
#include "ui/viewport/picture_view.h"

#include <QPainter>
#include <QPolygonF>

#include <algorithm>
#include <cmath>

namespace dailies::ui {

namespace {

constexpr int kTitle = 20;
constexpr int kHistogramHeight = 72;
constexpr int kGap = 8;

/// What the drawing needs of the theme; taken on the GUI thread.
struct Inks {
    QColor text, line, ground, luma, red, green, blue, trace;
    QFont font;
};

Inks inks() {
    const Palette& p = colors();
    const bool dark = Theme::instance().mode() == ThemeMode::Dark;
    return {p.textMuted,
            p.border,
            p.window,
            p.textFaint,
            p.danger,
            p.success,
            p.info,
            dark ? QColor("#9fe8c0") : QColor("#14603f"),
            Theme::font(TextStyle::Caption)};
}

/// Square roots, so that a few pixels of a level are seen beside a background of one.
double heightOf(std::uint32_t count, double most) {
    return most > 0 ? std::sqrt(count / most) : 0;
}

QPolygonF outline(const std::array<std::uint32_t, 256>& counts, double most, const QRectF& place) {
    QPolygonF line;
    for (std::size_t level = 0; level < counts.size(); ++level)
        line << QPointF(place.left() + place.width() * (static_cast<double>(level) + 0.5) / 256,
                        place.bottom() - place.height() * heightOf(counts[level], most));
    return line;
}

void drawHistogram(QPainter& painter, const QRectF& place, const QImage& picture, const Inks& ink) {
    const quality::Histogram histogram = quality::histogramOf(toPictureView(picture));
    std::uint32_t most = 0;
    for (const auto* counts : {&histogram.red, &histogram.green, &histogram.blue, &histogram.luma})
        most = std::max(most, *std::max_element(counts->begin(), counts->end()));
    QPolygonF area = outline(histogram.luma, most, place);
    area << place.bottomRight() << place.bottomLeft();
    QColor fill = ink.luma;
    fill.setAlpha(90);
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    painter.drawPolygon(area);
    painter.setBrush(Qt::NoBrush);
    for (const auto& [counts, color] :
         {std::pair(&histogram.red, ink.red), std::pair(&histogram.green, ink.green),
          std::pair(&histogram.blue, ink.blue)}) {
        painter.setPen(QPen(color, 1.2));
        painter.drawPolyline(outline(*counts, most, place));
    }
}

void drawWaveform(QPainter& painter, const QRectF& place, const QImage& picture, const Inks& ink) {
    const quality::Waveform waveform =
        quality::waveformOf(toPictureView(picture), static_cast<int>(place.width()));
    // A column of the picture holds `height` pixels; as many at one level are as bright as the trace gets.
    const double most =
        std::max(1.0, picture.height() * std::max(1.0, picture.width() / double(waveform.columns)) / 6);
    QImage trace(waveform.columns, quality::Waveform::kLevels, QImage::Format_ARGB32_Premultiplied);
    for (int level = 0; level < quality::Waveform::kLevels; ++level) {
        auto* row = reinterpret_cast<QRgb*>(trace.scanLine(quality::Waveform::kLevels - 1 - level));
        for (int column = 0; column < waveform.columns; ++column) {
            const double strength = std::min(1.0, heightOf(waveform.at(column, level), most));
            row[column] = qPremultiply(qRgba(ink.trace.red(), ink.trace.green(), ink.trace.blue(),
                                             static_cast<int>(std::lround(255 * strength))));
        }
    }
    painter.setPen(QPen(ink.line, 1));
    for (const double level : {0.0, 0.25, 0.5, 0.75, 1.0}) {
        const double y = std::round(place.bottom() - place.height() * level) - 0.5;
        painter.drawLine(QPointF(place.left(), y), QPointF(place.right(), y));
    }
    painter.setRenderHint(QPainter::SmoothPixmapTransform);
    painter.drawImage(place, trace);
}

void drawSide(QPainter& painter, const QRectF& side, const QString& name, const QImage& picture,
              const Inks& ink) {
    painter.setFont(ink.font);
    painter.setPen(ink.text);
    painter.drawText(QRectF(side.left(), side.top(), side.width(), kTitle), Qt::AlignLeft | Qt::AlignVCenter,
                     name);
    const QRectF histogram(side.left(), side.top() + kTitle, side.width(), kHistogramHeight);
    const QRectF waveform(side.left(), histogram.bottom() + kGap, side.width(),
                          side.bottom() - histogram.bottom() - kGap);
    for (const QRectF& place : {histogram, waveform}) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(ink.ground);
        painter.drawRoundedRect(place, 4, 4);
    }
    if (picture.isNull()) return;
    drawHistogram(painter, histogram.adjusted(4, 4, -4, -1), picture, ink);
    if (waveform.height() > 2 * kGap) drawWaveform(painter, waveform.adjusted(4, 4, -4, -4), picture, ink);
}

}  // namespace

ScopeView::ScopeView(QWidget* parent) : RenderedCanvas(parent) {
    setAccessibleName(QStringLiteral("Histogram and waveform of both clips"));
}

void ScopeView::setPictures(const QImage& a, const QImage& b) {
    m_a = a;
    m_b = b;
    if (isVisible()) redraw();
}

RenderedCanvas::Drawing ScopeView::drawing() const {
    return [a = m_a, b = m_b, ink = inks(), room = QRectF(rect()).adjusted(12, 4, -12, -12)](
               QPainter& painter, const std::stop_token&) {
        const double half = (room.height() - kGap) / 2;
        drawSide(painter, QRectF(room.left(), room.top(), room.width(), half),
                 QStringLiteral("A  histogram and waveform"), a, ink);
        drawSide(painter, QRectF(room.left(), room.top() + half + kGap, room.width(), half),
                 QStringLiteral("B  histogram and waveform"), b, ink);
    };
}

}  // namespace dailies::ui
