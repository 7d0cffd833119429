#include "ui/datasets/histogram_view.h"

#include "ui/theme/theme.h"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace dailies::ui {

namespace {
constexpr int kSide = 5;     ///< for half a handle
constexpr int kHandle = 8;   ///< its width and height
constexpr double kNear = 9;  ///< pixels from which a line is taken
}  // namespace

HistogramView::HistogramView(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void HistogramView::setHistogram(Histogram histogram) {
    m_histogram = std::move(histogram);
    update();
}

void HistogramView::setKept(const Histogram::Counts& kept) {
    if (kept == m_kept) return;
    m_kept = kept;
    update();
}

void HistogramView::setLines(std::vector<Line> lines) {
    if (lines == m_lines) return;
    m_lines = std::move(lines);
    update();
}

double HistogramView::lineX(std::size_t line) const {
    const auto& at = m_lines[line];
    const double share = at.value ? m_histogram.axis().shareOf(*at.value) : at.least ? 0 : 1;
    return kSide + share * (width() - 2 * kSide);
}

std::optional<std::size_t> HistogramView::nearestLine(double x) const {
    std::optional<std::size_t> nearest;
    for (std::size_t i = 0; i < m_lines.size(); ++i)
        if (!nearest || std::abs(lineX(i) - x) < std::abs(lineX(*nearest) - x)) nearest = i;
    return nearest;
}

void HistogramView::moveTo(double x) {
    const double share = std::clamp((x - kSide) / (width() - 2 * kSide), 0.0, 1.0);
    const auto& line = m_lines[*m_held];
    const bool asksForNothing = line.least ? share <= 0 : share >= 1;
    emit lineMoved(*m_held, asksForNothing ? std::nullopt : std::optional(m_histogram.axis().valueAt(share)));
}

void HistogramView::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return event->ignore();
    m_held = nearestLine(event->position().x());
    if (m_held) moveTo(event->position().x());
}

void HistogramView::mouseMoveEvent(QMouseEvent* event) {
    const double x = event->position().x();
    if (m_held) return moveTo(x);
    auto hovered = nearestLine(x);
    if (hovered && std::abs(lineX(*hovered) - x) > kNear) hovered.reset();
    setCursor(hovered ? Qt::SplitHCursor : Qt::ArrowCursor);
    if (hovered != m_hovered) update();
    m_hovered = hovered;
}

void HistogramView::mouseReleaseEvent(QMouseEvent*) {
    if (!m_held) return;
    m_held.reset();
    update();
    emit released();
}

void HistogramView::leaveEvent(QEvent*) {
    m_hovered.reset();
    update();
}

void HistogramView::paintEvent(QPaintEvent*) {
    const Palette& p = colors();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const double base = height() - 1.0, top = kHandle + 2.0;
    const double room = width() - 2.0 * kSide, step = room / Histogram::kBins;
    const auto highest = std::ranges::max(m_histogram.all());
    // by the root: a bin of few clips beside one of thousands is still seen
    const auto heightOf = [&](std::uint32_t count) {
        if (count == 0) return 0.0;
        return std::max(1.5, (base - top) * std::sqrt(static_cast<double>(count) / highest));
    };
    const double gap = step > 3 ? 1 : 0;
    QColor behind = p.textFaint;
    behind.setAlphaF(0.45f);
    painter.setRenderHint(QPainter::Antialiasing, false);  // 1,400 bars a step: crisp ones cost a tenth
    for (int i = 0; i < Histogram::kBins; ++i) {
        const auto bin = static_cast<std::size_t>(i);
        const double x = kSide + i * step, all = heightOf(m_histogram.all()[bin]),
                     kept = heightOf(m_kept[bin]);
        painter.fillRect(QRectF(x, base - all, step - gap, all - kept), behind);
        painter.fillRect(QRectF(x, base - kept, step - gap, kept), p.accent);
    }
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(p.border);
    painter.drawLine(QPointF(kSide, base + 0.5), QPointF(width() - kSide, base + 0.5));
    for (std::size_t i = 0; i < m_lines.size(); ++i) {
        const bool active = m_held == i || m_hovered == i;
        const bool isOff = !m_lines[i].value;
        const QColor color = isOff && !active ? p.textFaint : active ? p.accentHover : p.text;
        const double x = lineX(i);
        painter.setPen(QPen(color, active ? 2 : 1.5, isOff ? Qt::DotLine : Qt::SolidLine));
        painter.drawLine(QPointF(x, kHandle - 1), QPointF(x, base));
        painter.setPen(Qt::NoPen);
        painter.setBrush(color);
        // the handle points to what is kept
        const double way = m_lines[i].least ? kHandle : -kHandle;
        painter.drawPolygon(QPolygonF({{x, 0.5}, {x + way, kHandle / 2.0 + 0.5}, {x, kHandle + 0.5}}));
    }
}

}  // namespace dailies::ui
