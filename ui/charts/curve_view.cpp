#include "ui/charts/curve_view.h"

#include "ui/charts/tick_text.h"
#include "ui/charts/value_box.h"
#include "ui/theme/theme.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace dailies::ui {

namespace {

constexpr double kClickSlack = 4;     ///< pixels that an unsteady hand moves in a click
constexpr double kNearEnough = 14;    ///< pixels from a curve that still mean this curve
constexpr double kEventsHeight = 12;  ///< of the strip with ticks above the x axis
constexpr double kWheelZoom = 1.25;   ///< a notch
constexpr double kKeyPan = 0.15;      ///< of the window
constexpr double kKeyZoom = 1.5;
constexpr double kNarrowest = 1e-7;  ///< of everything

AxisTicks ticksOf(const series::Axis& axis, const std::vector<QString>& texts) {
    AxisTicks ticks;
    for (std::size_t i = 0; i < axis.ticks.size(); ++i) {
        const double at = (axis.ticks[i] - axis.range.minimum) / axis.range.length();
        if (at > -1e-9 && at < 1 + 1e-9) {
            ticks.at.push_back(at);
            ticks.texts.push_back(texts[i]);
        }
    }
    return ticks;
}

}  // namespace

Axes axesOf(const CurvePicture& picture, const QSize& size) {
    return {size, plotAreaOf(size), ticksOf(picture.x, xTickTexts(picture.x, picture.settings)),
            ticksOf(picture.y, yTickTexts(picture.y, picture.settings))};
}

CurveView::CurveView(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(160, 120);
    onThemeChange(this, [this] {
        m_axesPicture = {};
        update();
    });
}

void CurveView::setPicture(CurvePicture picture) {
    m_picture = std::move(picture);
    // Now rather than when painting: many charts are painted in one go, but each gets its picture by itself.
    if (isVisible() && m_picture.points > 0) {
        updateAxes();
    }
    update();
}

void CurveView::setCrosshair(std::optional<double> x) {
    if (x != m_crosshair) {
        m_crosshair = x;
        update();
    }
}

void CurveView::setStepCursor(std::optional<double> step) {
    m_stepCursor = step;
    update();
}

void CurveView::setEmptyText(const QString& text) {
    m_emptyText = text;
    update();
}

double CurveView::xAt(double pixel) const {
    const QRectF plot = plotArea();
    return m_picture.x.range.minimum + (pixel - plot.left()) / plot.width() * m_picture.x.range.length();
}

double CurveView::yAt(double pixel) const {
    const QRectF plot = plotArea();
    return m_picture.y.range.minimum + (plot.bottom() - pixel) / plot.height() * m_picture.y.range.length();
}

double CurveView::pixelX(double x) const {
    const QRectF plot = plotArea();
    return plot.left() + (x - m_picture.x.range.minimum) / m_picture.x.range.length() * plot.width();
}

double CurveView::pixelY(double y) const {
    const QRectF plot = plotArea();
    const double at = (y - m_picture.y.range.minimum) / m_picture.y.range.length();
    return plot.bottom() - std::clamp(at, 0.0, 1.0) * plot.height();
}

void CurveView::updateAxes() {
    Axes axes = axesOf(m_picture, size());
    const double scale = devicePixelRatioF();
    if (m_axesPicture.isNull() || axes != m_axes || m_axesPicture.devicePixelRatio() != scale) {
        m_axesPicture = axesPicture(axes, scale);
        m_axes = std::move(axes);
    }
}

void CurveView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    if (m_picture.points == 0) {
        painter.setFont(Theme::font(TextStyle::Body));
        painter.setPen(colors().textFaint);
        painter.drawText(rect().adjusted(space::k16, 0, -space::k16, 0), Qt::AlignCenter | Qt::TextWordWrap,
                         m_emptyText);
    } else {
        updateAxes();
        painter.drawPixmap(0, 0, m_axesPicture);
        const QRectF plot = plotArea();
        painter.save();
        painter.setClipRect(plot.adjusted(-1, -1, 1, 1));
        painter.setRenderHint(QPainter::SmoothPixmapTransform,
                              m_picture.image.deviceIndependentSize() != plot.size());
        painter.drawImage(plot, m_picture.image);
        paintEvents(painter);
        if (m_drag == Drag::Zoom && m_moved && m_pointer) {
            QColor soft = colors().accent;
            soft.setAlphaF(0.16f);
            painter.fillRect(
                QRectF(QPointF(m_dragFrom.x(), plot.top()), QPointF(m_pointer->x(), plot.bottom())), soft);
        }
        paintStepCursor(painter);
        painter.restore();
        if (m_picture.nothingInRange) {
            painter.setFont(Theme::font(TextStyle::Body));
            painter.setPen(colors().textFaint);
            painter.drawText(plot, Qt::AlignCenter | Qt::TextWordWrap,
                             QStringLiteral("No points in this range\nDouble-click to reset the zoom"));
        }
        if (m_crosshair) {
            paintCrosshair(painter);
        }
    }
    if (hasFocus()) {
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(colors().accent, 1));
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), kRadius, kRadius);
    }
}

void CurveView::paintEvents(QPainter& painter) const {
    painter.setRenderHint(QPainter::Antialiasing);
    const double bottom = plotArea().bottom();
    for (const auto& tick : m_picture.events) {
        const double x = pixelX(tick.x);
        if (tick.kind == EventTick::Kind::Restart) {
            QPainterPath triangle;
            triangle.moveTo(x - 4.5, bottom);
            triangle.lineTo(x + 4.5, bottom);
            triangle.lineTo(x, bottom - 8);
            triangle.closeSubpath();
            painter.fillPath(triangle, colors().warning);
        } else {
            QColor faint = tick.more > 0 ? colors().textFaint : tick.color;
            painter.setPen(QPen(faint, 1.5));
            painter.drawLine(QPointF(x, bottom - 5), QPointF(x, bottom));
        }
    }
}

void CurveView::paintStepCursor(QPainter& painter) const {
    if (!m_stepCursor) {
        return;
    }
    double x = std::nan("");
    if (m_picture.settings.x.kind == XAxis::Kind::Step) {
        x = m_picture.settings.logX ? std::log10(*m_stepCursor) : *m_stepCursor;
    } else {
        for (const auto& curve : m_picture.shown) {
            if (curve.prepared && std::isnan(x)) {
                x = curve.prepared->xOfStep(*m_stepCursor, m_picture.settings.logX);
            }
        }
    }
    if (!(x >= m_picture.x.range.minimum && x <= m_picture.x.range.maximum)) {
        return;
    }
    const QRectF plot = plotArea();
    const double at = std::round(pixelX(x)) + 0.5;
    painter.setPen(QPen(colors().accent, 1, Qt::DashLine));
    painter.drawLine(QPointF(at, plot.top()), QPointF(at, plot.bottom()));
    QPainterPath flag;
    flag.addRoundedRect(QRectF(at - 3, plot.top(), 6, 6), 2, 2);
    painter.fillPath(flag, colors().accent);
}

void CurveView::paintCrosshair(QPainter& painter) const {
    const QRectF plot = plotArea();
    const double x = pixelX(*m_crosshair);
    if (x < plot.left() || x > plot.right()) {
        return;
    }
    painter.setPen(QPen(colors().textFaint, 1));
    painter.drawLine(QPointF(std::round(x) + 0.5, plot.top()), QPointF(std::round(x) + 0.5, plot.bottom()));
    const auto readings = readingsAt(m_picture, *m_crosshair);
    if (readings.empty()) {
        return;
    }
    const Reading* nearest = m_pointer ? nearestReading(readings, yAt(m_pointer->y())) : nullptr;
    for (const auto& reading : readings) {
        // The run that another chart's pointer is over is the nearest here.
        nearest = !m_pointer && !m_hovered.empty() && reading.curve->runId == m_hovered ? &reading : nearest;
    }
    const BoxLines box = boxLines(readings, nearest);
    painter.setRenderHint(QPainter::Antialiasing);
    for (const Reading* reading : box.lines) {
        if (std::isnan(reading->y) || reading->x < m_picture.x.range.minimum ||
            reading->x > m_picture.x.range.maximum) {
            continue;
        }
        painter.setPen(QPen(colors().surface, 1.5));
        painter.setBrush(reading->curve->color);
        const double radius = reading == nearest ? 4.5 : 3.5;
        painter.drawEllipse(QPointF(pixelX(reading->x), pixelY(reading->y)), radius, radius);
    }
    if (m_pointer && m_drag != Drag::Pan) {
        const Reading& first = nearest ? *nearest : readings.front();
        paintValueBox(painter, QRectF(rect()).adjusted(2, 2, -2, -2), QPointF(x, m_pointer->y()),
                      xText(first.x, m_picture.settings), box, nearest);
    }
}

std::vector<const EventTick*> CurveView::eventsNear(const QPointF& position) const {
    std::vector<const EventTick*> near;
    if (position.y() < plotArea().bottom() - kEventsHeight || position.y() > plotArea().bottom() + 4) {
        return near;
    }
    for (const auto& tick : m_picture.events) {
        if (std::abs(pixelX(tick.x) - position.x()) <= 5) {
            near.push_back(&tick);
        }
    }
    return near;
}

void CurveView::choose(Range range) {
    const Range all = m_picture.everything;
    const double length = std::max(range.length(), all.length() * kNarrowest);
    if (length >= all.length() * 0.999) {
        emit rangeChosen(std::nullopt);
        return;
    }
    // The window stays over the curves.
    const double left = std::clamp(range.minimum, all.minimum, all.maximum - length);
    emit rangeChosen(Range{left, left + length});
}

void CurveView::zoom(double factor, double around) {
    const Range& x = m_picture.x.range;
    choose({around - (around - x.minimum) / factor, around + (x.maximum - around) / factor});
}

void CurveView::hover(const std::string& runId) {
    if (runId != m_hovered) {
        m_hovered = runId;
        emit runHovered(runId);
    }
}

void CurveView::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || m_picture.points == 0) {
        QWidget::mousePressEvent(event);
        return;
    }
    m_drag = event->modifiers() & Qt::ShiftModifier ? Drag::Pan : Drag::Zoom;
    m_dragFrom = event->position();
    m_dragRange = m_picture.x.range;
    m_moved = false;
    if (m_drag == Drag::Pan) {
        setCursor(Qt::ClosedHandCursor);
        emit dragging(true);
    }
}

void CurveView::mouseMoveEvent(QMouseEvent* event) {
    if (m_picture.points == 0) {
        return;
    }
    const QPointF at = event->position();
    const QRectF plot = plotArea();
    m_moved = m_moved || std::abs(at.x() - m_dragFrom.x()) > kClickSlack;
    if (m_drag == Drag::Pan) {
        const double shift = (m_dragFrom.x() - at.x()) / plot.width() * m_dragRange.length();
        choose({m_dragRange.minimum + shift, m_dragRange.maximum + shift});
    }
    if (!plot.contains(at) && m_drag == Drag::None) {
        leaveEvent(nullptr);
        return;
    }
    m_pointer = QPointF(std::clamp(at.x(), plot.left(), plot.right()), at.y());
    m_crosshair = xAt(m_pointer->x());
    emit crosshairMoved(m_crosshair);
    const auto readings = readingsAt(m_picture, *m_crosshair);
    const Reading* nearest = nearestReading(readings, yAt(at.y()));
    const bool close = nearest && std::abs(pixelY(nearest->y) - at.y()) <= kNearEnough;
    if (m_drag == Drag::None) {
        hover(close ? nearest->curve->runId : std::string());
        setCursor(close && !nearest->curve->runId.empty() ? Qt::PointingHandCursor : Qt::CrossCursor);
    }
    update();
}

void CurveView::mouseReleaseEvent(QMouseEvent* event) {
    const Drag drag = std::exchange(m_drag, Drag::None);
    if (drag == Drag::Pan) {
        emit dragging(false);
        setCursor(Qt::CrossCursor);
        return;
    }
    if (drag == Drag::None) {
        return;
    }
    const QRectF plot = plotArea();
    const double to = std::clamp(event->position().x(), plot.left(), plot.right());
    if (m_moved) {
        const auto [left, right] = std::minmax({xAt(m_dragFrom.x()), xAt(to)});
        choose({left, right});
    } else if (plot.contains(event->position())) {
        const auto readings = readingsAt(m_picture, xAt(to));
        const Reading* nearest = nearestReading(readings, yAt(event->position().y()));
        if (nearest && !nearest->curve->runId.empty() &&
            std::abs(pixelY(nearest->y) - event->position().y()) <= kNearEnough) {
            if (event->modifiers() & Qt::ControlModifier) {
                emit runClicked(nearest->curve->runId);
            } else {
                emit stepChosen(nearest->curve->runId, nearest->step);
            }
        }
    }
    update();
}

void CurveView::mouseDoubleClickEvent(QMouseEvent*) {
    m_drag = Drag::None;
    emit rangeChosen(std::nullopt);
}

void CurveView::wheelEvent(QWheelEvent* event) {
    // Only a chart that a person is in, else nobody could scroll past the charts.
    if (!hasFocus() && !(event->modifiers() & Qt::ControlModifier)) {
        event->ignore();
        return;
    }
    const double notches = event->angleDelta().y() / 120.0;
    if (m_picture.points > 0 && notches != 0) {
        const QRectF plot = plotArea();
        zoom(std::pow(kWheelZoom, notches),
             xAt(std::clamp(event->position().x(), plot.left(), plot.right())));
    }
    event->accept();
}

void CurveView::keyPressEvent(QKeyEvent* event) {
    const Range& x = m_picture.x.range;
    const double shift = x.length() * kKeyPan;
    const double middle = m_crosshair.value_or((x.minimum + x.maximum) / 2);
    // Alt and arrows move the card.
    const bool plain = !(event->modifiers() & (Qt::AltModifier | Qt::ControlModifier));
    if (m_picture.points > 0 && plain) {
        switch (event->key()) {
            case Qt::Key_Left:
                choose({x.minimum - shift, x.maximum - shift});
                return;
            case Qt::Key_Right:
                choose({x.minimum + shift, x.maximum + shift});
                return;
            case Qt::Key_Plus:
            case Qt::Key_Equal:
                zoom(kKeyZoom, middle);
                return;
            case Qt::Key_Minus:
                zoom(1 / kKeyZoom, middle);
                return;
            case Qt::Key_0:
            case Qt::Key_Home:
                emit rangeChosen(std::nullopt);
                return;
            default:
                break;
        }
    }
    QWidget::keyPressEvent(event);
}

void CurveView::leaveEvent(QEvent*) {
    if (m_drag != Drag::None) {
        return;
    }
    m_pointer.reset();
    m_crosshair.reset();
    emit crosshairMoved(std::nullopt);
    hover({});
    update();
}

void CurveView::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    update();
}

void CurveView::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

bool CurveView::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) {
        return QWidget::event(event);
    }
    const auto* help = static_cast<QHelpEvent*>(event);
    QStringList lines;
    for (const EventTick* tick : eventsNear(help->pos())) {
        lines << tick->text + (tick->more > 0 ? QStringLiteral(" and %1 more").arg(tick->more) : QString());
    }
    if (lines.isEmpty()) {
        QToolTip::hideText();
    } else {
        // Escaped: run names are not markup.
        QToolTip::showText(
            help->globalPos(),
            lines.join(QLatin1Char('\n')).toHtmlEscaped().replace(QLatin1Char('\n'), QStringLiteral("<br>")),
            this);
    }
    return true;
}

}  // namespace dailies::ui
