#include "ui/charts/panels/scatter_canvas.h"

#include "ui/charts/panels/color_ramp.h"
#include "ui/charts/panels/hover_card.h"
#include "ui/theme/theme.h"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace dailies::ui {

namespace {

constexpr double kLeft = 58, kTop = 24, kBottom = 40, kRight = 12;
constexpr double kLegend = 96;
constexpr double kInset = 8;  ///< so that dots at the ends of the axes are whole
constexpr double kReach = 10;
constexpr double kMinPixels = 5;
constexpr int kLevels = 9;  ///< of the surface
constexpr float kSurfaceOpacity = 0.55f;
constexpr std::size_t kMaxLegend = 9;
constexpr float kAside = 0.18f;  ///< opacity of runs beside those that are selected

double radiusOf(std::size_t runs) {
    return runs <= 60 ? 5 : runs <= 500 ? 4 : runs <= 2'000 ? 3 : 2.5;
}

/// From places to the plot; a value so that a worker can hold it.
struct Mapping {
    QRectF area;

    QPointF point(double x, double y) const {
        const QRectF inner = area.adjusted(kInset, kInset, -kInset, -kInset);
        return {inner.left() + x * inner.width(), inner.bottom() - y * inner.height()};
    }
    std::optional<QPointF> point(const ScatterScene& scene, std::size_t run) const {
        const double x = scene.x.place(run), y = scene.y.place(run);
        return std::isnan(x) || std::isnan(y) ? std::nullopt : std::optional(point(x, y));
    }
};

/// "Spearman ρ −0.42"; empty where nothing can be said.
QString correlationText(const analysis::RankCorrelation& correlation) {
    return std::isnan(correlation.rho)
               ? QString()
               : QStringLiteral("Spearman ρ %1").arg(correlation.rho, 0, 'f', 2).replace(u'-', QChar(0x2212));
}

/// Filled levels, and nothing where the surface knows nothing.
QImage toPictureView(const analysis::Surface& surface, ThemeMode mode) {
    QImage image(static_cast<int>(surface.columns), static_cast<int>(surface.rows),
                 QImage::Format_ARGB32_Premultiplied);
    for (std::size_t row = 0; row < surface.rows; ++row) {
        for (std::size_t column = 0; column < surface.columns; ++column) {
            const double value = surface.at(column, row);
            QColor color(Qt::transparent);
            if (!std::isnan(value)) {
                const double level = std::clamp(std::floor(value * kLevels), 0.0, kLevels - 1.0);
                color = rampColor((level + 0.5) / kLevels, mode);
                color.setAlphaF(kSurfaceOpacity);
            }
            image.setPixel(static_cast<int>(column), static_cast<int>(surface.rows - 1 - row),
                           qPremultiply(color.rgba()));
        }
    }
    return image;
}

}  // namespace

ScatterCanvas::ScatterCanvas(QWidget* parent) : RenderedCanvas(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(220, 160);
    setAccessibleName(QStringLiteral("Scatter"));
    setAccessibleDescription(
        QStringLiteral("Left and right go from run to run along x, Space chooses one, Enter opens it, Escape "
                       "chooses none."));
}

void ScatterCanvas::setScene(std::shared_ptr<const ScatterScene> scene) {
    // The run under the pointer stays so: a click on it makes a new scene before the second one comes.
    m_hovered = m_scene && m_hovered ? scene->runs->find(m_scene->runs->id(*m_hovered)) : std::nullopt;
    m_scene = std::move(scene);
    if (m_hovered && !pointOf(*m_hovered)) {
        m_hovered.reset();
    }
    const auto& correlation = m_scene->correlation;
    setAccessibleName(correlationText(correlation).isEmpty()
                          ? QStringLiteral("Scatter")
                          : QStringLiteral("Scatter, ") + correlationText(correlation) +
                                intervalText(correlation));
    redraw();
}

QRectF ScatterCanvas::plotArea() const {
    const double legend = m_scene && m_scene->color ? kLegend : 0;
    return {kLeft, kTop, std::max(1.0, width() - kLeft - kRight - legend),
            std::max(1.0, height() - kTop - kBottom)};
}

std::optional<QPointF> ScatterCanvas::pointOf(std::size_t run) const {
    return Mapping{plotArea()}.point(*m_scene, run);
}

RenderedCanvas::Drawing ScatterCanvas::drawing() const {
    if (!m_scene) {
        return {};
    }
    return [scene = m_scene, map = Mapping{plotArea()}, mode = Theme::instance().mode()](QPainter& painter,
                                                                                         std::stop_token) {
        if (scene->surface) {
            const QRectF inner = map.area.adjusted(kInset, kInset, -kInset, -kInset);
            painter.setRenderHint(QPainter::SmoothPixmapTransform);
            painter.drawImage(inner, toPictureView(*scene->surface, mode));
        }
        const std::size_t count = scene->runs->size();
        const double radius = radiusOf(count);
        const float opacity = count <= 500 ? 0.9f : scene->surface ? 0.35f : 0.6f;
        for (const bool emphasized : {false, true}) {
            for (std::size_t run = 0; run < count; ++run) {
                const auto at = map.point(*scene, run);
                if (!at || scene->runs->emphasized(run) != emphasized) {
                    continue;
                }
                QColor color = scene->runs->colors[run];
                if (scene->color) {
                    const double place = scene->color->place(run);
                    color = std::isnan(place) ? missingColor(mode) : rampColor(place, mode);
                }
                color.setAlphaF(emphasized ? 1 : scene->anyEmphasized ? kAside : opacity);
                painter.setBrush(color);
                // An edge keeps dots apart from one another and from the surface.
                painter.setPen(!emphasized && (count > 2'000 || scene->anyEmphasized)
                                   ? QPen(Qt::NoPen)
                                   : QPen(emphasized ? ui::palette(mode).text : ui::palette(mode).surface,
                                          emphasized ? 1.5 : 1));
                painter.drawEllipse(*at, radius, radius);
            }
        }
    };
}

void ScatterCanvas::paintBackground(QPainter& painter) const {
    if (!m_scene) {
        return;
    }
    const QRectF area = plotArea();
    const Mapping map{area};
    const QFont captions = Theme::font(TextStyle::Caption);
    const QFontMetricsF metrics(captions);
    painter.setFont(captions);
    const auto title = [](const PlotAxis& axis) {
        return fieldText(axis.column().field) + (axis.logarithmic() ? QStringLiteral(" (log)") : QString());
    };

    const int across = std::max(2, static_cast<int>(area.width() / 72));
    double free = area.left() - 30;  // labels never overlap: one that would is left out
    for (const auto& [place, label] : m_scene->x.ticks(across)) {
        const double x = map.point(place, 0).x();
        painter.setPen(QPen(colors().border, 1));
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
        const QString text = metrics.elidedText(label, Qt::ElideMiddle, 90);
        const double half = metrics.horizontalAdvance(text) / 2;
        if (x - half < free) {
            continue;
        }
        free = x + half + 6;
        painter.setPen(colors().textFaint);
        painter.drawText(QRectF(x - half, area.bottom() + 3, 2 * half, 16),
                         Qt::AlignCenter | Qt::TextDontClip, text);
    }
    for (const auto& [place, label] : m_scene->y.ticks(std::max(2, static_cast<int>(area.height() / 34)))) {
        const double y = map.point(0, place).y();
        painter.setPen(QPen(colors().border, 1));
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
        painter.setPen(colors().textFaint);
        painter.drawText(QRectF(0, y - 8, kLeft - 6, 16), Qt::AlignRight | Qt::AlignVCenter,
                         metrics.elidedText(label, Qt::ElideMiddle, kLeft - 8));
    }
    painter.setPen(colors().textMuted);
    // In a narrow card the interval gives way to the axis' name.
    QString correlation = correlationText(m_scene->correlation) + intervalText(m_scene->correlation);
    if (metrics.horizontalAdvance(correlation) > area.width() * 0.6) {
        correlation = correlationText(m_scene->correlation);
    }
    const double nameWidth = area.width() - metrics.horizontalAdvance(correlation) - space::k12;
    painter.drawText(QRectF(area.left(), 2, area.width(), 18), Qt::AlignRight | Qt::AlignVCenter,
                     correlation);
    painter.drawText(QRectF(area.left(), 2, nameWidth, 18), Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(title(m_scene->y), Qt::ElideMiddle, nameWidth));
    painter.drawText(QRectF(area.left(), height() - 19, area.width(), 18), Qt::AlignRight | Qt::AlignVCenter,
                     metrics.elidedText(title(m_scene->x), Qt::ElideMiddle, area.width()));

    paintLegend(painter);
}

void ScatterCanvas::paintLegend(QPainter& painter) const {
    if (!m_scene->color) {
        return;
    }
    const PlotAxis& axis = *m_scene->color;
    const auto mode = Theme::instance().mode();
    const QFontMetricsF metrics(painter.font());
    const QRectF area = plotArea();
    const double left = area.right() + space::k16;
    const double room = kLegend - space::k16 - 4;
    painter.setPen(colors().textMuted);
    painter.drawText(QRectF(left, 2, room + 8, 18), Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(fieldText(axis.column().field), Qt::ElideMiddle, room + 8));
    if (axis.column().kind == analysis::Column::Kind::Category) {
        const auto& categories = axis.column().categories;
        for (std::size_t i = 0; i < std::min(categories.size(), kMaxLegend); ++i) {
            const double y = area.top() + 10 + 18 * static_cast<double>(i);
            painter.setPen(Qt::NoPen);
            painter.setBrush(rampColor(axis.placeOf(static_cast<double>(i)), mode));
            painter.drawEllipse(QPointF(left + 4, y), 4, 4);
            painter.setPen(colors().textMuted);
            const QString text = i + 1 == kMaxLegend && categories.size() > kMaxLegend
                                     ? QStringLiteral("and %1 more").arg(categories.size() - i)
                                     : axis.textOf(static_cast<double>(i));
            painter.drawText(QRectF(left + 14, y - 8, room - 14, 16), Qt::AlignLeft | Qt::AlignVCenter,
                             metrics.elidedText(text, Qt::ElideMiddle, room - 14));
        }
        return;
    }
    const std::size_t without = axis.column().values.size() - axis.placedCount();
    const QRectF bar(left, area.top() + kInset, 10, area.height() - 2 * kInset);
    QLinearGradient gradient(bar.bottomLeft(), bar.topLeft());
    for (int i = 0; i <= 10; ++i) {
        gradient.setColorAt(i / 10.0, rampColor(i / 10.0, mode));
    }
    painter.setPen(Qt::NoPen);
    painter.setBrush(gradient);
    painter.drawRoundedRect(bar, 3, 3);
    painter.setPen(colors().textFaint);
    for (const auto& [place, label] : axis.ticks(std::max(2, static_cast<int>(bar.height() / 40)))) {
        const double y = bar.bottom() - place * bar.height();
        painter.drawText(QRectF(bar.right() + 6, y - 8, room - 16, 16), Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(label, Qt::ElideMiddle, room - 16));
    }
    if (without > 0) {
        const double y = area.bottom() + 11;
        painter.setPen(Qt::NoPen);
        painter.setBrush(missingColor(mode));
        painter.drawEllipse(QPointF(bar.center().x(), y), 4, 4);
        painter.setPen(colors().textFaint);
        painter.drawText(QRectF(bar.right() + 6, y - 8, room - 10, 16), Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(QStringLiteral("%1 without").arg(countToString(without)),
                                            Qt::ElideRight, room - 10));
    }
}

void ScatterCanvas::paintForeground(QPainter& painter) const {
    if (!m_scene) {
        return;
    }
    if (hasFocus()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(colors().accent, 1));
        painter.drawRoundedRect(plotArea(), 4, 4);
    }
    if (m_rubber) {
        QColor soft = colors().accent;
        soft.setAlphaF(0.15f);
        painter.setBrush(soft);
        painter.setPen(QPen(colors().accent, 1));
        painter.drawRect(*m_rubber);
    }
    if (!m_hovered) {
        return;
    }
    const std::size_t run = *m_hovered;
    const QPointF at = *pointOf(run);
    const double radius = radiusOf(m_scene->runs->size()) + 2;
    painter.setBrush(m_scene->runs->colors[run]);
    painter.setPen(QPen(colors().text, 1.5));
    painter.drawEllipse(at, radius, radius);
    if (!m_card) {
        return;
    }
    HoverCard card{m_scene->runs->colors[run], m_scene->runs->name(run), {}};
    for (const PlotAxis* axis : {&m_scene->x, &m_scene->y, m_scene->color ? &*m_scene->color : nullptr}) {
        const bool again = axis && !card.lines.empty() && axis == &*m_scene->color &&
                           (axis->column().field == m_scene->x.column().field ||
                            axis->column().field == m_scene->y.column().field);
        if (axis && !again) {
            card.lines.push_back({fieldText(axis->column().field), axis->text(run)});
        }
    }
    paintHoverCard(painter, QRectF(rect()), at, card);
}

std::optional<std::size_t> ScatterCanvas::runNear(const QPointF& at) const {
    std::optional<std::size_t> nearest;
    double least = kReach;
    const Mapping map{plotArea()};
    for (std::size_t run = 0; run < m_scene->runs->size(); ++run) {
        if (const auto point = map.point(*m_scene, run)) {
            const double distance = std::hypot(point->x() - at.x(), point->y() - at.y());
            if (distance < least) {
                least = distance;
                nearest = run;
            }
        }
    }
    return nearest;
}

void ScatterCanvas::hover(std::optional<std::size_t> run) {
    m_card = true;
    if (run != m_hovered) {
        m_hovered = run;
        emit hovered(run ? m_scene->runs->id(*run) : std::string());
        update();
    }
}

void ScatterCanvas::setHovered(const std::string& runId) {
    auto run = m_scene ? m_scene->runs->find(runId) : std::nullopt;
    if (run && !pointOf(*run)) {
        run.reset();
    }
    if (run != m_hovered) {
        m_hovered = run;
        m_card = false;
        update();
    }
}

void ScatterCanvas::mousePressEvent(QMouseEvent* event) {
    if (m_scene && event->button() == Qt::LeftButton) {
        m_pressed = event->position();
    }
}

void ScatterCanvas::mouseMoveEvent(QMouseEvent* event) {
    if (!m_scene) {
        return;
    }
    const QPointF at = event->position();
    if (m_pressed && (m_rubber || QLineF(*m_pressed, at).length() >= kMinPixels)) {
        m_rubber = QRectF(*m_pressed, at).normalized().intersected(plotArea());
        hover(std::nullopt);
        update();
    } else {
        const auto run = runNear(at);
        setCursor(run ? Qt::PointingHandCursor : Qt::CrossCursor);
        hover(run);
    }
}

void ScatterCanvas::mouseReleaseEvent(QMouseEvent* event) {
    if (!m_pressed || event->button() != Qt::LeftButton) {
        return;
    }
    std::vector<std::string> ids;
    for (std::size_t run = 0; m_rubber && run < m_scene->runs->size(); ++run) {
        if (const auto point = pointOf(run); point && m_rubber->contains(*point)) {
            ids.push_back(m_scene->runs->id(run));
        }
    }
    if (!m_rubber) {
        if (const auto run = runNear(event->position())) {
            ids.push_back(m_scene->runs->id(*run));
        }
    }
    m_pressed.reset();
    m_rubber.reset();
    update();
    emit chosen(ids);
}

void ScatterCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
    const auto run = m_scene && event->button() == Qt::LeftButton ? runNear(event->position()) : std::nullopt;
    if (run) {
        emit opened(m_scene->runs->id(*run));
    }
}

void ScatterCanvas::leaveEvent(QEvent*) {
    hover(std::nullopt);
}

void ScatterCanvas::goAlong(int direction) {
    std::optional<std::size_t> next;
    const auto key = [&](std::size_t run) {
        return std::tuple(m_scene->x.place(run), m_scene->y.place(run), run);
    };
    for (std::size_t run = 0; run < m_scene->runs->size(); ++run) {
        if (!pointOf(run)) {
            continue;
        }
        const bool beyond =
            !m_hovered || (direction > 0 ? key(run) > key(*m_hovered) : key(run) < key(*m_hovered));
        if (beyond && (!next || (direction > 0 ? key(run) < key(*next) : key(run) > key(*next)))) {
            next = run;
        }
    }
    if (next) {
        hover(next);
        setAccessibleDescription(m_scene->runs->name(*next) + QStringLiteral(": ") + m_scene->x.text(*next) +
                                 QStringLiteral(", ") + m_scene->y.text(*next));
    }
}

void ScatterCanvas::keyPressEvent(QKeyEvent* event) {
    const bool is = m_scene != nullptr;
    if (is && (event->key() == Qt::Key_Left || event->key() == Qt::Key_Right)) {
        goAlong(event->key() == Qt::Key_Right ? 1 : -1);
    } else if (is && m_hovered && (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)) {
        emit opened(m_scene->runs->id(*m_hovered));
    } else if (is && m_hovered && event->key() == Qt::Key_Space) {
        emit chosen({m_scene->runs->id(*m_hovered)});
    } else if (is && event->key() == Qt::Key_Escape && (m_hovered || m_rubber)) {
        m_pressed.reset();
        m_rubber.reset();
        hover(std::nullopt);
        emit chosen({});
        update();
    } else {
        RenderedCanvas::keyPressEvent(event);
    }
}

}  // namespace dailies::ui
