#include "ui/charts/panels/parallel_canvas.h"

#include "ui/charts/panels/color_ramp.h"
#include "ui/charts/panels/hover_card.h"
#include "ui/charts/panels/line_rasterizer.h"
#include "ui/theme/theme.h"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace dailies::ui {

namespace {

constexpr double kAxisTop = 40;  ///< names and the greatest tick above the axes
constexpr double kSide = 44;     ///< beside the outer axes, for half a name
constexpr double kFoot = 12;
constexpr double kGripWidth = 10;  ///< how far beside an axis it can be grasped
constexpr double kGripEnd = 5;     ///< how far from an interval's end that can
constexpr double kHoverReach = 7;
constexpr double kBandWidth = 12;
constexpr double kShortestBrush = 4;     ///< a shorter brush is a click
constexpr float kOthersOpacity = 0.10f;  ///< opacity of lines that the brushes or the selection leave out
constexpr std::size_t kFew = 24;         ///< so many selected lines are drawn thick and opaque

double placeOrMissing(const PlotAxis& axis, std::size_t run) {
    const double place = axis.place(run);
    return std::isnan(place) ? ParallelCanvas::kMissingPlace : place;
}

/// So that thousands of lines show where they are dense, and few are clear.
float opacityOf(std::size_t lines) {
    return std::clamp(static_cast<float>(8 / std::sqrt(static_cast<double>(std::max<std::size_t>(lines, 1)))),
                      0.12f, 0.85f);
}

}  // namespace

ParallelCanvas::ParallelCanvas(QWidget* parent) : RenderedCanvas(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(240, 160);
    setAccessibleName(QStringLiteral("Parallel coordinates"));
    setAccessibleDescription(QStringLiteral(
        "Left and right choose an axis, with Shift they move it; up and down brush along it; plus and "
        "minus change the brush; Delete removes it; Escape removes all."));
}

void ParallelCanvas::setScene(std::shared_ptr<const ParallelScene> scene) {
    std::vector<std::vector<Interval>> brushes(scene->axes.size());
    m_missing = false;
    for (std::size_t axis = 0; axis < scene->axes.size(); ++axis) {
        const PlotAxis& next = scene->axes[axis];
        for (std::size_t old = 0; m_scene && old < m_scene->axes.size(); ++old) {
            const PlotAxis& before = m_scene->axes[old];
            if (before.column().field != next.column().field) {
                continue;
            }
            for (const auto& [from, to] : m_brushes[old]) {
                // New runs may have widened the axis: the brush stays on its values.
                const auto moved = [&](double place) {
                    const double there = next.placeOf(before.valueAt(place));
                    return place < 0 || std::isnan(there) ? place : there;
                };
                brushes[axis].push_back({moved(from), moved(to)});
            }
        }
        m_missing = m_missing || next.placedCount() < scene->runs->size();
    }
    m_brushes = std::move(brushes);
    m_scene = std::move(scene);
    m_focus = std::min(m_focus, m_scene->axes.empty() ? 0 : m_scene->axes.size() - 1);
    m_hovered.reset();
    m_drag.reset();
    m_movedAxis.reset();
    redraw();
}

double ParallelCanvas::bottom() const {
    const double all = height() - kFoot - kAxisTop;
    return kAxisTop + (m_missing ? all / (1 - kMissingPlace) : all);
}

double ParallelCanvas::xOf(std::size_t axis) const {
    const std::size_t count = m_scene->axes.size();
    const double across = width() - 2 * kSide;
    return count < 2 ? width() / 2.0
                     : kSide + across * static_cast<double>(axis) / static_cast<double>(count - 1);
}

double ParallelCanvas::yOf(double place) const {
    return bottom() - place * (bottom() - kAxisTop);
}

double ParallelCanvas::placeAt(double y) const {
    return std::clamp((bottom() - y) / (bottom() - kAxisTop), m_missing ? 1.5 * kMissingPlace : 0, 1.0);
}

QPointF ParallelCanvas::pointOf(std::size_t run, std::size_t axis) const {
    return {xOf(axis), yOf(placeOrMissing(m_scene->axes[axis], run))};
}

std::size_t ParallelCanvas::axisNear(double x) const {
    const std::size_t count = m_scene->axes.size();
    if (count < 2) {
        return 0;
    }
    const double step = (width() - 2 * kSide) / static_cast<double>(count - 1);
    return static_cast<std::size_t>(
        std::clamp(std::round((x - kSide) / step), 0.0, static_cast<double>(count - 1)));
}

void ParallelCanvas::setBrush(std::size_t axis, std::vector<Interval> intervals) {
    m_brushes[axis] = std::move(intervals);
    redraw();
}

bool ParallelCanvas::brushed() const {
    return std::any_of(m_brushes.begin(), m_brushes.end(), [](const auto& b) { return !b.empty(); });
}

bool ParallelCanvas::holds(std::size_t run) const {
    for (std::size_t axis = 0; axis < m_brushes.size(); ++axis) {
        const double place = placeOrMissing(m_scene->axes[axis], run);
        const bool inside =
            m_brushes[axis].empty() ||
            std::any_of(m_brushes[axis].begin(), m_brushes[axis].end(), [&](const Interval& interval) {
                return place >= interval.from - 1e-9 && place <= interval.to + 1e-9;
            });
        if (!inside) {
            return false;
        }
    }
    return true;
}

std::vector<std::string> ParallelCanvas::chosen() const {
    std::vector<std::string> ids;
    for (std::size_t run = 0; m_scene && run < m_scene->runs->size(); ++run) {
        if (holds(run)) {
            ids.push_back(m_scene->runs->id(run));
        }
    }
    return ids;
}

RenderedCanvas::Drawing ParallelCanvas::drawing() const {
    if (!m_scene || m_scene->axes.empty()) {
        return {};
    }
    std::vector<double> xs;
    for (std::size_t axis = 0; axis < m_scene->axes.size(); ++axis) {
        xs.push_back(xOf(axis));
    }
    std::vector<bool> inside(m_scene->runs->size());
    // What is brushed becomes the selection, so the brushes alone decide while there are any.
    const PlotRuns& runs = *m_scene->runs;
    const bool selection = !brushed() && runs.emphasizedCount > 0;
    const bool few = selection && runs.emphasizedCount <= kFew;
    for (std::size_t run = 0; run < inside.size(); ++run) {
        inside[run] = selection ? runs.emphasized(run) : holds(run);
    }
    return [scene = m_scene, xs = std::move(xs), inside = std::move(inside), few, low = bottom(),
            mode = Theme::instance().mode()](QPainter& painter, std::stop_token) {
        const std::size_t count = scene->runs->size();
        const auto shown = static_cast<std::size_t>(std::count(inside.begin(), inside.end(), true));
        LineRasterizer ink(painter);
        const auto draw = [&](std::size_t run, const QColor& color, double width) {
            QPointF before;
            for (std::size_t axis = 0; axis < xs.size(); ++axis) {
                const QPointF at(xs[axis], low - placeOrMissing(scene->axes[axis], run) * (low - kAxisTop));
                if (axis > 0) {
                    ink.draw(before, at, color, width);
                } else if (xs.size() == 1) {
                    ink.draw(at - QPointF(6, 0), at + QPointF(6, 0), color, width);
                }
                before = at;
            }
        };
        const auto colorOf = [&](std::size_t run) {
            if (!scene->color) {
                return scene->runs->colors[run];
            }
            const double place = scene->color->place(run);
            return std::isnan(place) ? missingColor(mode) : rampColor(place, mode);
        };
        QColor aside = ui::palette(mode).textFaint;
        aside.setAlphaF(std::clamp(20 * kOthersOpacity / std::sqrt(static_cast<float>(count - shown + 1)),
                                   0.03f, kOthersOpacity));
        for (std::size_t run = 0; run < count; ++run) {
            if (!inside[run]) {
                draw(run, aside, 1);
            }
        }
        const float opacity = few ? 1 : opacityOf(shown);
        for (std::size_t run = 0; run < count; ++run) {
            if (inside[run]) {
                QColor color = colorOf(run);
                color.setAlphaF(opacity);
                draw(run, color, few ? 2.2 : 1.2);
            }
        }
    };
}

void ParallelCanvas::paintBackground(QPainter& painter) const {
    if (!m_scene || !m_missing || m_scene->axes.empty()) {
        return;
    }
    const double y = yOf(kMissingPlace);
    painter.setPen(QPen(colors().border, 1, Qt::DashLine));
    painter.drawLine(QPointF(xOf(0), y), QPointF(xOf(m_scene->axes.size() - 1), y));
    painter.setFont(Theme::font(TextStyle::Caption));
    painter.setPen(colors().textFaint);
    painter.drawText(QRectF(0, y - 8, xOf(0) - 6, 16), Qt::AlignRight | Qt::AlignVCenter,
                     QStringLiteral("none"));
}

void ParallelCanvas::paintAxis(QPainter& painter, std::size_t axis) const {
    const PlotAxis& scale = m_scene->axes[axis];
    const double x = xOf(axis);
    const bool focused = hasFocus() && axis == m_focus;
    const double room = m_scene->axes.size() < 2 ? width() : xOf(1) - xOf(0);
    const QFont captions = Theme::font(TextStyle::Caption);
    const QFontMetricsF metrics(captions);
    painter.setFont(captions);

    painter.setPen(QPen(focused ? colors().accent : colors().textFaint, focused ? 2 : 1));
    painter.drawLine(QPointF(x, kAxisTop), QPointF(x, bottom()));
    for (const auto& [from, to] : m_brushes[axis]) {
        QColor soft = colors().accent;
        soft.setAlphaF(0.25f);
        painter.setPen(QPen(colors().accent, 1.5));
        painter.setBrush(soft);
        painter.drawRoundedRect(
            QRectF(QPointF(x - kBandWidth / 2, yOf(to)), QPointF(x + kBandWidth / 2, yOf(from))), 3, 3);
    }

    QString name = m_scene->names[axis];
    if (scale.logarithmic()) {
        name += QStringLiteral(" (log)");
    }
    // Centred over its axis, but within the canvas.
    const double breadth = std::min(room - space::k8, metrics.horizontalAdvance(name) + 2);
    const double left = std::clamp(x - breadth / 2, 2.0, std::max(2.0, width() - 2 - breadth));
    painter.setPen(focused ? colors().accent : colors().text);
    painter.drawText(QRectF(left, 2, breadth, 18), Qt::AlignCenter,
                     metrics.elidedText(name, Qt::ElideMiddle, breadth));

    QColor behind = colors().surface;
    behind.setAlphaF(0.78f);
    const bool last = axis + 1 == m_scene->axes.size() && axis > 0;
    const int most = std::max(2, static_cast<int>((bottom() - kAxisTop) / 34));
    for (const auto& [place, label] : scale.ticks(most)) {
        const double y = yOf(place);
        painter.setPen(QPen(colors().textFaint, 1));
        painter.drawLine(QPointF(x - 3, y), QPointF(x + 3, y));
        const QString text = metrics.elidedText(label, Qt::ElideMiddle, last ? kSide + 20 : room - 20);
        const double textWidth = metrics.horizontalAdvance(text);
        const QRectF box(last ? x - 8 - textWidth : x + 7, y - 7, textWidth, 14);
        painter.fillRect(box.adjusted(-1, 0, 1, 0), behind);
        painter.setPen(colors().textMuted);
        painter.drawText(box, Qt::AlignCenter | Qt::TextDontClip, text);
    }
    if (const std::size_t without = m_scene->runs->size() - scale.placedCount(); without > 0) {
        const QString text = metrics.elidedText(QStringLiteral("%1 without").arg(countToString(without)),
                                                Qt::ElideRight, room - 10);
        const double textWidth = metrics.horizontalAdvance(text);
        const double y = yOf(kMissingPlace);
        const QRectF box(last ? x - 8 - textWidth : x + 7, y - 7, textWidth, 14);
        painter.fillRect(box.adjusted(-1, 0, 1, 0), behind);
        painter.setPen(colors().textFaint);
        painter.drawText(box, Qt::AlignCenter | Qt::TextDontClip, text);
    }
}

void ParallelCanvas::paintForeground(QPainter& painter) const {
    if (!m_scene || m_scene->axes.empty()) {
        return;
    }
    for (std::size_t axis = 0; axis < m_scene->axes.size(); ++axis) {
        paintAxis(painter, axis);
    }
    if (m_movedAxis) {
        const double x = xOf(axisNear(m_pointerX));
        painter.setPen(QPen(colors().accent, 2));
        painter.drawLine(QPointF(x, 0), QPointF(x, bottom()));
    }
    if (!m_hovered) {
        return;
    }
    const PlotRuns& runs = *m_scene->runs;
    QPolygonF line;
    HoverCard card{runs.colors[*m_hovered], runs.name(*m_hovered), {}};
    for (std::size_t axis = 0; axis < m_scene->axes.size(); ++axis) {
        line << pointOf(*m_hovered, axis);
        card.lines.push_back(
            {fieldText(m_scene->axes[axis].column().field), m_scene->axes[axis].text(*m_hovered)});
    }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(colors().surface, 5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.drawPolyline(line);
    painter.setPen(QPen(runs.colors[*m_hovered], 2.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.drawPolyline(line);
    if (m_pointer) {
        paintHoverCard(painter, QRectF(rect()), *m_pointer, card);
    }
}

std::optional<std::size_t> ParallelCanvas::runNear(const QPointF& at) const {
    const std::size_t count = m_scene->axes.size();
    if (count < 2 || at.x() < xOf(0) || at.x() > xOf(count - 1)) {
        return std::nullopt;
    }
    std::size_t left = 0;
    while (left + 2 < count && xOf(left + 1) < at.x()) {
        ++left;
    }
    const double share = (at.x() - xOf(left)) / (xOf(left + 1) - xOf(left));
    const double low = bottom(), high = low - kAxisTop;
    std::optional<std::size_t> nearest;
    double least = kHoverReach;
    for (std::size_t run = 0; run < m_scene->runs->size(); ++run) {
        if (!holds(run)) {
            continue;
        }
        const double a = placeOrMissing(m_scene->axes[left], run);
        const double b = placeOrMissing(m_scene->axes[left + 1], run);
        // Across the line, not down: steep lines are as easy to hit as flat ones.
        const double slope = (b - a) * high / (xOf(left + 1) - xOf(left));
        const double distance = std::abs(low - (a + (b - a) * share) * high - at.y()) / std::hypot(1, slope);
        if (distance < least) {
            least = distance;
            nearest = run;
        }
    }
    return nearest;
}

void ParallelCanvas::hover(std::optional<std::size_t> run, const QPointF& at) {
    m_pointer = at;
    if (run != m_hovered) {
        m_hovered = run;
        emit hovered(run ? m_scene->runs->id(*run) : std::string());
    }
    update();
}

void ParallelCanvas::setHovered(const std::string& runId) {
    const auto run = m_scene ? m_scene->runs->find(runId) : std::nullopt;
    if (run != m_hovered) {
        m_hovered = run;
        m_pointer.reset();
        update();
    }
}

std::optional<ParallelCanvas::Drag> ParallelCanvas::gripAt(const QPointF& at) const {
    const std::size_t axis = axisNear(at.x());
    if (at.y() < kAxisTop - kGripEnd || std::abs(at.x() - xOf(axis)) > kGripWidth) {
        return std::nullopt;
    }
    Drag drag{.axis = axis, .anchor = placeAt(at.y())};
    for (std::size_t i = 0; i < m_brushes[axis].size(); ++i) {
        const Interval& interval = m_brushes[axis][i];
        const double high = yOf(interval.to), low = yOf(interval.from);
        if (at.y() < high - kGripEnd || at.y() > low + kGripEnd) {
            continue;
        }
        drag.interval = i;
        drag.before = interval;
        drag.grip = at.y() < high + kGripEnd ? Grip::To : at.y() > low - kGripEnd ? Grip::From : Grip::Move;
    }
    return drag;
}

bool ParallelCanvas::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip && m_scene && !m_scene->axes.empty()) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const auto& field = m_scene->axes[axisNear(help->pos().x())].column().field;
        if (help->pos().y() < kAxisTop / 2) {
            const auto& axis = m_scene->axes[axisNear(help->pos().x())];
            const std::size_t without = m_scene->runs->size() - axis.placedCount();
            QToolTip::showText(
                help->globalPos(),
                escapedToolTip(fieldText(field) +
                               (without > 0
                                    ? QStringLiteral("\n%1 runs without a value").arg(countToString(without))
                                    : QString()) +
                               QStringLiteral("\nDrag to move the axis")),
                this);
        } else {
            QToolTip::hideText();
        }
        return true;
    }
    return RenderedCanvas::event(event);
}

void ParallelCanvas::mousePressEvent(QMouseEvent* event) {
    if (!m_scene || m_scene->axes.empty() || event->button() != Qt::LeftButton) {
        return;
    }
    const QPointF at = event->position();
    m_focus = axisNear(at.x());
    if (at.y() < kAxisTop / 2) {
        m_movedAxis = m_focus;
        m_pointerX = at.x();
    } else if ((m_drag = gripAt(at)) && m_drag->grip == Grip::New) {
        m_drag->interval = m_brushes[m_drag->axis].size();
        m_brushes[m_drag->axis].push_back({m_drag->anchor, m_drag->anchor});
    }
    hover(std::nullopt, at);
}

void ParallelCanvas::mouseMoveEvent(QMouseEvent* event) {
    if (!m_scene || m_scene->axes.empty()) {
        return;
    }
    const QPointF at = event->position();
    if (m_movedAxis) {
        m_pointerX = at.x();
        update();
        return;
    }
    if (!m_drag) {
        const auto grip = gripAt(at);
        setCursor(at.y() < kAxisTop / 2      ? Qt::OpenHandCursor
                  : !grip                    ? Qt::ArrowCursor
                  : grip->grip == Grip::Move ? Qt::SizeAllCursor
                  : grip->grip == Grip::New  ? Qt::CrossCursor
                                             : Qt::SizeVerCursor);
        hover(grip ? std::nullopt : runNear(at), at);
        return;
    }
    Interval& interval = m_brushes[m_drag->axis][m_drag->interval];
    const double place = placeAt(at.y());
    const double least = placeAt(height());
    m_drag->moved = m_drag->moved || std::abs(yOf(place) - yOf(m_drag->anchor)) >= kShortestBrush;
    switch (m_drag->grip) {
        case Grip::New:
            interval = {std::min(place, m_drag->anchor), std::max(place, m_drag->anchor)};
            break;
        case Grip::Move: {
            const double length = m_drag->before.to - m_drag->before.from;
            const double from = std::clamp(m_drag->before.from + place - m_drag->anchor, least, 1 - length);
            interval = {from, from + length};
            break;
        }
        case Grip::From:
            interval = {std::min(place, m_drag->before.to), std::max(place, m_drag->before.to)};
            break;
        case Grip::To:
            interval = {std::min(place, m_drag->before.from), std::max(place, m_drag->before.from)};
            break;
    }
    redraw();
}

void ParallelCanvas::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) {
        return;
    }
    if (m_movedAxis) {
        const std::size_t from = *m_movedAxis, to = axisNear(m_pointerX);
        m_movedAxis.reset();
        m_focus = to;
        update();
        if (from != to) {
            emit axisMoved(from, to);
        }
    } else if (m_drag) {
        if (!m_drag->moved) {
            m_brushes[m_drag->axis].clear();
        }
        m_drag.reset();
        redraw();
        emit brushesChanged();
    }
}

void ParallelCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
    const QPointF at = event->position();
    const bool marks = m_scene && !m_scene->axes.empty() && event->button() == Qt::LeftButton &&
                       at.y() >= kAxisTop / 2 && !gripAt(at);
    if (const auto run = marks ? runNear(at) : std::nullopt) {
        emit opened(m_scene->runs->id(*run));
    }
}

void ParallelCanvas::leaveEvent(QEvent*) {
    hover(std::nullopt, {});
}

void ParallelCanvas::brushAlong(double by, double wider) {
    auto& intervals = m_brushes[m_focus];
    if (intervals.empty()) {
        intervals = {by >= 0 ? Interval{0.75, 1} : Interval{0, 0.25}};
    } else {
        Interval& interval = intervals.back();
        const double least = m_missing ? 1.5 * kMissingPlace : 0;
        const double length = std::clamp(interval.to - interval.from + 2 * wider, 0.02, 1.0);
        const double middle = (interval.from + interval.to) / 2 + by;
        const double from = std::clamp(middle - length / 2, least, 1 - length);
        interval = {from, from + length};
    }
    redraw();
    emit brushesChanged();
}

void ParallelCanvas::keyPressEvent(QKeyEvent* event) {
    if (!m_scene || m_scene->axes.empty()) {
        RenderedCanvas::keyPressEvent(event);
        return;
    }
    const bool shift = event->modifiers().testFlag(Qt::ShiftModifier);
    const std::size_t last = m_scene->axes.size() - 1;
    const std::size_t before = m_focus;
    switch (event->key()) {
        case Qt::Key_Left:
        case Qt::Key_Right:
            m_focus =
                event->key() == Qt::Key_Left ? (m_focus > 0 ? m_focus - 1 : 0) : std::min(last, m_focus + 1);
            if (shift && m_focus != before) {
                emit axisMoved(before, m_focus);
            }
            update();
            break;
        case Qt::Key_Up:
            brushAlong(0.05, 0);
            break;
        case Qt::Key_Down:
            brushAlong(-0.05, 0);
            break;
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            brushAlong(0, 0.025);
            break;
        case Qt::Key_Minus:
            brushAlong(0, -0.025);
            break;
        case Qt::Key_Delete:
        case Qt::Key_Backspace:
            setBrush(m_focus, {});
            emit brushesChanged();
            break;
        case Qt::Key_Escape:
            if (brushed()) {
                m_brushes.assign(m_brushes.size(), {});
                redraw();
                emit brushesChanged();
                break;
            }
            [[fallthrough]];
        default:
            RenderedCanvas::keyPressEvent(event);
    }
}

void ParallelCanvas::focusInEvent(QFocusEvent* event) {
    RenderedCanvas::focusInEvent(event);
    update();
}

void ParallelCanvas::focusOutEvent(QFocusEvent* event) {
    RenderedCanvas::focusOutEvent(event);
    update();
}

}  // namespace dailies::ui
