#include "ui/viewport/quality_curves.h"

#include "ui/theme/theme.h"

#include <QEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <array>
#include <cmath>

namespace dailies::ui {

namespace {

using quality::FrameComparison;

constexpr int kLabelWidth = 72;
constexpr int kValueWidth = 112;
constexpr int kMargin = 16;
constexpr int kTop = 8;

/// One lane: which numbers, of A and of B.
struct Lane {
    const char* name;
    double FrameComparison::*ofA;  ///< null: one number for both
    double FrameComparison::*ofB;
    int digits;
    const char* unit;
    double leastSpan;  ///< of its axis: less would make noise look like something
};

constexpr std::array kLanes{
    Lane{"PSNR", nullptr, &FrameComparison::psnr, 1, " dB", 6},
    Lane{"SSIM", nullptr, &FrameComparison::ssim, 3, "", 0.02},
    Lane{"Flicker", &FrameComparison::referenceFlicker, &FrameComparison::flicker, 1, "", 2},
    Lane{"Motion", &FrameComparison::referenceMotion, &FrameComparison::motion, 1, "", 2}};
constexpr int kLaneCount = static_cast<int>(kLanes.size());

QString numberText(double value, const Lane& lane) {
    if (std::isnan(value)) return QStringLiteral("—");
    if (std::isinf(value)) return QStringLiteral("equal");
    return QString::number(value, 'f', lane.digits) + QLatin1String(lane.unit);
}

struct Span {
    double low = 0, high = 1;
};

Span spanOf(const std::vector<FrameComparison>& frames, const Lane& lane) {
    Span span{INFINITY, -INFINITY};
    for (const FrameComparison& frame : frames)
        for (const auto member : {lane.ofA, lane.ofB}) {
            const double value = member ? frame.*member : NAN;
            if (!std::isfinite(value)) continue;
            span.low = std::min(span.low, value);
            span.high = std::max(span.high, value);
        }
    if (span.low > span.high) return {};
    const double missing = std::max(lane.leastSpan - (span.high - span.low), 0.0);
    // Changes begin at zero; likenesses hang from their best.
    return lane.ofA ? Span{0, std::max(span.high, lane.leastSpan)} : Span{span.low - missing, span.high};
}

}  // namespace

QualityCurves::QualityCurves(QWidget* parent) : QWidget(parent) {
    setAccessibleName(QStringLiteral("PSNR, SSIM, flicker and motion by frame"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    onThemeChange(this, [this] { redraw(); });
}

void QualityCurves::setFrames(const std::vector<FrameComparison>& frames, int length) {
    m_frames = frames;
    m_length = length;
    setAccessibleDescription(valuesText());
    redraw();
}

void QualityCurves::setColors(const QColor& a, const QColor& b) {
    m_a = a;
    m_b = b;
    redraw();
}

void QualityCurves::setProblem(const QString& problem) {
    m_problem = problem;
    update();
}

void QualityCurves::setCurrent(int frame) {
    if (frame == m_current) return;
    m_current = frame;
    setAccessibleDescription(valuesText());
    update();
}

QString QualityCurves::valuesText() const {
    if (m_current < 0 || m_current >= static_cast<int>(m_frames.size())) return {};
    const FrameComparison& frame = m_frames[static_cast<std::size_t>(m_current)];
    QStringList values;
    for (const Lane& lane : kLanes) {
        QString value = QLatin1String(lane.name) + QLatin1Char(' ');
        if (lane.ofA) value += numberText(frame.*lane.ofA, lane) + QStringLiteral(" and ");
        values << value + numberText(frame.*lane.ofB, lane);
    }
    return values.join(QStringLiteral(", "));
}

// -- painting

QRect QualityCurves::laneRect(int lane) const {
    const int height = (this->height() - 2 * kTop) / kLaneCount;
    return {kMargin + kLabelWidth, kTop + lane * height,
            std::max(width() - kLabelWidth - kValueWidth - 2 * kMargin, 1), height};
}

double QualityCurves::xOf(int frame) const {
    const QRect lane = laneRect(0);
    return lane.left() + (m_length > 1 ? static_cast<double>(frame) / (m_length - 1) : 0) * lane.width();
}

void QualityCurves::redraw() {
    m_lanes = {};
    update();
}

void QualityCurves::paintLanes(QPainter& painter) const {
    const Palette& p = colors();
    for (int i = 0; i < kLaneCount; ++i) {
        const Lane& lane = kLanes[static_cast<std::size_t>(i)];
        const QRectF place = QRectF(laneRect(i)).adjusted(0, 4, 0, -4);
        painter.setPen(QPen(p.border, 1));
        painter.drawLine(QPointF(place.left(), place.bottom() + 0.5),
                         QPointF(place.right(), place.bottom() + 0.5));
        painter.setPen(p.textMuted);
        painter.setFont(Theme::font(TextStyle::Caption));
        painter.drawText(QRectF(kMargin, place.top(), kLabelWidth, place.height()),
                         Qt::AlignLeft | Qt::AlignVCenter, QLatin1String(lane.name));
        const Span span = spanOf(m_frames, lane);
        const auto draw = [&](double FrameComparison::*member, const QColor& color) {
            QPainterPath path;
            bool down = false;
            for (std::size_t n = 0; n < m_frames.size(); ++n) {
                const double value = m_frames[n].*member;
                if (std::isnan(value)) {
                    down = false;
                    continue;
                }
                const double share =
                    std::isinf(value) ? 1 : (value - span.low) / std::max(span.high - span.low, 1e-12);
                const QPointF point(xOf(static_cast<int>(n)), place.bottom() - share * place.height());
                if (down)
                    path.lineTo(point);
                else
                    path.moveTo(point);
                down = true;
            }
            painter.setBrush(Qt::NoBrush);
            painter.setPen(QPen(color, 1.5));
            painter.drawPath(path);
        };
        if (lane.ofA) draw(lane.ofA, m_a);
        draw(lane.ofB, lane.ofA ? m_b : p.accent);
    }
}

void QualityCurves::paintEvent(QPaintEvent*) {
    if (m_lanes.isNull()) {
        m_lanes = QPixmap(size() * devicePixelRatioF());
        m_lanes.setDevicePixelRatio(devicePixelRatioF());
        m_lanes.fill(colors().surface);
        QPainter lanes(&m_lanes);
        lanes.setRenderHint(QPainter::Antialiasing);
        paintLanes(lanes);
    }
    QPainter painter(this);
    painter.drawPixmap(0, 0, m_lanes);
    const Palette& p = colors();
    if (!m_problem.isEmpty()) {
        painter.setPen(p.textMuted);
        painter.setFont(Theme::font(TextStyle::Body));
        painter.drawText(rect().adjusted(kMargin, 0, -kMargin, 0), Qt::AlignCenter | Qt::TextWordWrap,
                         m_problem);
        return;
    }
    painter.setRenderHint(QPainter::Antialiasing);
    if (m_length > 1) {
        painter.setPen(QPen(p.text, 1));
        const double x = std::round(xOf(m_current)) + 0.5;
        painter.drawLine(QPointF(x, kTop), QPointF(x, height() - kTop));
    }
    if (m_current < 0 || m_current >= static_cast<int>(m_frames.size())) return;
    const FrameComparison& frame = m_frames[static_cast<std::size_t>(m_current)];
    painter.setFont(Theme::font(TextStyle::Mono));
    for (int i = 0; i < kLaneCount; ++i) {
        const Lane& lane = kLanes[static_cast<std::size_t>(i)];
        const QRect place(laneRect(i).right() + space::k12, laneRect(i).top(), kValueWidth,
                          laneRect(i).height());
        if (!lane.ofA) {
            painter.setPen(p.text);
            painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, numberText(frame.*lane.ofB, lane));
            continue;
        }
        painter.setPen(m_a);
        painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, numberText(frame.*lane.ofA, lane));
        painter.setPen(m_b);
        painter.drawText(place.adjusted(kValueWidth / 2, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                         numberText(frame.*lane.ofB, lane));
    }
}

void QualityCurves::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    redraw();
}

void QualityCurves::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::StyleChange) redraw();
}

// -- events

void QualityCurves::choose(double x) {
    const QRect lane = laneRect(0);
    if (m_length > 1)
        emit frameChosen(
            std::clamp(static_cast<int>(std::lround((x - lane.left()) / lane.width() * (m_length - 1))), 0,
                       m_length - 1));
}

void QualityCurves::mousePressEvent(QMouseEvent* event) {
    choose(event->position().x());
}

void QualityCurves::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons() & Qt::LeftButton) choose(event->position().x());
}

}  // namespace dailies::ui
