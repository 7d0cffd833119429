#include "ui/compare/run_header_bar.h"

#include "ui/theme/icons.h"
#include "ui/theme/run_colors.h"
#include "ui/theme/theme.h"
#include "ui/wall/wall_paint.h"
#include "ui/widgets/run_text.h"
#include "ui/widgets/widgets.h"

#include <QApplication>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

namespace dailies::ui {

namespace {

constexpr int kButton = 20;
constexpr int kIcon = 14;

}  // namespace

RunHeaderBar::RunHeaderBar(QWidget* parent) : QWidget(parent) {
    setFixedHeight(kHeight);
    setMouseTracking(true);
    setAccessibleName(tr("Runs that are compared"));
    connect(&Theme::instance(), &Theme::changed, this, qOverload<>(&QWidget::update));
}

void RunHeaderBar::setRuns(std::vector<RunPtr> runs, std::size_t reference) {
    m_runs = std::move(runs);
    m_reference = reference;
    setCurrent(m_current);
}

void RunHeaderBar::setColumns(const CompareColumns& columns) {
    m_columns = columns;
    update();
}

void RunHeaderBar::setCurrent(int column) {
    m_current = std::clamp(column, 0, std::max(static_cast<int>(m_runs.size()) - 1, 0));
    if (!m_runs.empty()) {
        const auto& run = *m_runs[static_cast<std::size_t>(m_current)];
        setAccessibleDescription(QStringLiteral("%1, %2").arg(sanitized(run.name), statusText(run)));
    }
    update();
}

QRect RunHeaderBar::starRect(int column) const {
    return {m_columns.left(column) + m_columns.width - 2 * kButton - space::k8, space::k8, kButton, kButton};
}

QRect RunHeaderBar::crossRect(int column) const {
    return starRect(column).translated(kButton, 0);
}

void RunHeaderBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), colors().surface);
    painter.setClipRect(CompareColumns::kKeyWidth, 0, width() - CompareColumns::kKeyWidth, height());
    for (int column = 0; column < static_cast<int>(m_runs.size()); ++column) {
        if (m_columns.rect(column, 0, height()).intersects(rect())) paintHead(painter, column);
    }
    painter.setClipping(false);
    painter.setFont(Theme::font(TextStyle::Caption));
    painter.setPen(colors().textFaint);
    painter.drawText(QRect(space::k16, 0, CompareColumns::kKeyWidth - space::k24, height()),
                     Qt::AlignLeft | Qt::AlignVCenter | Qt::TextWordWrap,
                     m_runs.empty() ? QString()
                                    : tr("Differences from ★\n%1")
                                          .arg(painter.fontMetrics().elidedText(
                                              sanitized(m_runs[m_reference]->name), Qt::ElideRight,
                                              CompareColumns::kKeyWidth - space::k32)));
    painter.setPen(colors().border);
    painter.drawLine(0, height() - 1, width(), height() - 1);
    painter.drawLine(CompareColumns::kKeyWidth - 1, 0, CompareColumns::kKeyWidth - 1, height());
}

void RunHeaderBar::paintHead(QPainter& painter, int column) const {
    const Palette& p = colors();
    const auto& run = *m_runs[static_cast<std::size_t>(column)];
    const QRect area = m_columns.rect(column, 0, height());
    const bool reference = column == static_cast<int>(m_reference);
    const bool active = column == m_hovered || column == m_current;
    if (column == m_dragged && m_moving) {
        painter.fillRect(area, p.pressed);
    } else if (reference) {
        painter.fillRect(area, p.accentSoft);
    } else if (column == m_hovered) {
        painter.fillRect(area, p.hover);
    }
    if (column == m_current) {
        painter.fillRect(area.left(), area.bottom() - 2, area.width(), 2, p.accent);
    }

    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(runColor(run.id));
    painter.drawEllipse(QPointF(area.left() + space::k12 + 4.5, space::k8 + 10), 4.5, 4.5);
    painter.restore();

    const int textLeft = area.left() + space::k24 + 2;
    const int buttons = active ? 2 * kButton + space::k8 : reference ? 2 * kButton + space::k8 : space::k8;
    painter.setFont(Theme::font(TextStyle::Strong));
    painter.setPen(p.text);
    drawElided(painter, {textLeft, space::k8, area.right() - textLeft - buttons, 20},
               Qt::AlignLeft | Qt::AlignVCenter,
               sanitized(run.name.empty() ? run.id.substr(0, 8) : run.name));

    const QRect picture(area.left() + space::k8 + 1, space::k32 + 1, kIcon, kIcon);
    icon(statusIcon(run), statusColor(run)).paint(&painter, picture);
    painter.setFont(Theme::font(TextStyle::Caption));
    painter.setPen(p.textMuted);
    const QString reason = reasonText(run);
    drawElided(painter, {textLeft, space::k32 - 2, area.right() - textLeft - space::k8, 20},
               Qt::AlignLeft | Qt::AlignVCenter,
               reason.isEmpty() ? statusText(run) : statusText(run) + QStringLiteral(" · ") + reason);

    if (reference || active) {
        icon(QStringLiteral("star"), reference ? p.accent : p.textMuted)
            .paint(&painter, starRect(column).adjusted(3, 3, -3, -3));
    }
    if (active) {
        icon(QStringLiteral("close"), p.textMuted).paint(&painter, crossRect(column).adjusted(3, 3, -3, -3));
    }
    painter.setPen(p.border);
    painter.drawLine(area.topRight(), area.bottomRight());
}

void RunHeaderBar::mousePressEvent(QMouseEvent* event) {
    const QPoint place = event->position().toPoint();
    const int column = m_columns.at(place.x());
    if (column < 0 || event->button() != Qt::LeftButton) return QWidget::mousePressEvent(event);
    if (starRect(column).contains(place)) {
        emit referenceChosen(column);
    } else if (crossRect(column).contains(place)) {
        emit removed(column);
    } else {
        m_dragged = column;
        m_pressedAt = place;
        emit currentChosen(column);
    }
}

void RunHeaderBar::mouseMoveEvent(QMouseEvent* event) {
    const QPoint place = event->position().toPoint();
    const int column = m_columns.at(place.x());
    if (m_dragged >= 0 && (place - m_pressedAt).manhattanLength() > QApplication::startDragDistance()) {
        m_moving = true;
        setCursor(Qt::ClosedHandCursor);
        // The column follows the pointer at once: what is seen is what a release keeps.
        if (column >= 0 && column != m_dragged) {
            const int from = std::exchange(m_dragged, column);
            emit moved(from, column);
        }
    }
    m_hovered = column;
    update();
}

void RunHeaderBar::mouseReleaseEvent(QMouseEvent*) {
    m_dragged = -1;
    m_moving = false;
    unsetCursor();
    update();
}

void RunHeaderBar::mouseDoubleClickEvent(QMouseEvent* event) {
    const QPoint place = event->position().toPoint();
    const int column = m_columns.at(place.x());
    if (column >= 0 && !starRect(column).contains(place) && !crossRect(column).contains(place))
        emit opened(column);
}

void RunHeaderBar::leaveEvent(QEvent*) {
    m_hovered = -1;
    update();
}

QString RunHeaderBar::toolTipAt(QPoint place) const {
    const int column = m_columns.at(place.x());
    if (column < 0) return {};
    if (starRect(column).contains(place)) return tr("Use as reference (S)");
    if (crossRect(column).contains(place)) return tr("Remove from comparison (Del)");
    const auto& run = *m_runs[static_cast<std::size_t>(column)];
    QStringList lines{sanitized(run.name), statusText(run)};
    if (const QString reason = reasonText(run); !reason.isEmpty()) lines << reason;
    lines << tr("Double click to open (Enter); drag to move (Ctrl+←, Ctrl+→)");
    return lines.join(QLatin1Char('\n'));
}

bool RunHeaderBar::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        QToolTip::showText(help->globalPos(), toolTipAt(help->pos()), this);
        return true;
    }
    return QWidget::event(event);
}

}  // namespace dailies::ui
