#include "ui/cluster/node_grid.h"

#include "ui/theme/theme.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace dailies::ui {

namespace {
constexpr int kSquare = 16, kPitch = 20;
}

NodeGrid::NodeGrid(QWidget* parent) : QWidget(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Nodes at a glance"));
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void NodeGrid::setSquares(std::vector<Square> squares) {
    const QString name = m_current >= 0 && m_current < static_cast<int>(m_squares.size())
                             ? m_squares[static_cast<std::size_t>(m_current)].name
                             : QString();
    m_squares = std::move(squares);
    choose(name);
    updateGeometry();
    update();
}

void NodeGrid::choose(const QString& name) {
    const auto found = std::find_if(m_squares.begin(), m_squares.end(),
                                    [&](const Square& square) { return square.name == name; });
    m_current = found == m_squares.end() ? -1 : static_cast<int>(found - m_squares.begin());
    update();
}

int NodeGrid::columns(int width) const {
    return std::max(1, width / kPitch);
}

int NodeGrid::heightForWidth(int width) const {
    const int perRow = columns(width);
    return (static_cast<int>(m_squares.size()) + perRow - 1) / perRow * kPitch;
}

QSize NodeGrid::sizeHint() const {
    return {40 * kPitch, heightForWidth(std::max(width(), 40 * kPitch))};
}

QRect NodeGrid::rectOf(int index) const {
    const int perRow = columns(width());
    return {index % perRow * kPitch, index / perRow * kPitch, kSquare, kSquare};
}

int NodeGrid::indexAt(QPoint point) const {
    if (point.x() < 0 || point.y() < 0 || point.x() / kPitch >= columns(width())) {
        return -1;
    }
    const int index = point.y() / kPitch * columns(width()) + point.x() / kPitch;
    return index < static_cast<int>(m_squares.size()) ? index : -1;
}

void NodeGrid::paintEvent(QPaintEvent* event) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    for (int i = 0; i < static_cast<int>(m_squares.size()); ++i) {
        const QRect rect = rectOf(i);
        if (!event->rect().intersects(rect.adjusted(-2, -2, 2, 2))) {
            continue;
        }
        const Square& square = m_squares[static_cast<std::size_t>(i)];
        QColor color = toneColor(square.tone);
        QColor soft = color;
        soft.setAlphaF(0.22f);
        painter.setPen(Qt::NoPen);
        painter.setBrush(soft);
        painter.drawRoundedRect(rect, 3, 3);
        if (const int filled = static_cast<int>(kSquare * std::clamp(square.used, 0.0, 1.0) + 0.5);
            filled > 0) {
            painter.save();
            painter.setClipRect(rect.adjusted(0, kSquare - filled, 0, 0));
            painter.setBrush(color);
            painter.drawRoundedRect(rect, 3, 3);
            painter.restore();
        }
        painter.setBrush(Qt::NoBrush);
        if (i == m_current) {
            painter.setPen(QPen(hasFocus() ? colors().accent : colors().text, 2));
            painter.drawRoundedRect(rect.adjusted(-1, -1, 1, 1), 4, 4);
        } else {
            color.setAlphaF(0.6f);
            painter.setPen(color);
            painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
        }
    }
}

void NodeGrid::select(int index) {
    if (index < 0 || index >= static_cast<int>(m_squares.size())) {
        return;
    }
    m_current = index;
    update();
    emit chosen(m_squares[static_cast<std::size_t>(index)].name);
}

void NodeGrid::mousePressEvent(QMouseEvent* event) {
    select(indexAt(event->pos()));
}

void NodeGrid::keyPressEvent(QKeyEvent* event) {
    const int perRow = columns(width());
    switch (event->key()) {
        case Qt::Key_Left:
            return select(m_current - 1);
        case Qt::Key_Right:
            return select(m_current + 1);
        case Qt::Key_Up:
            return select(m_current - perRow);
        case Qt::Key_Down:
            return select(m_current < 0 ? 0 : m_current + perRow);
        default:
            QWidget::keyPressEvent(event);
    }
}

bool NodeGrid::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int index = indexAt(help->pos());
        if (index >= 0) {
            QToolTip::showText(help->globalPos(), m_squares[static_cast<std::size_t>(index)].tip, this);
        } else {
            QToolTip::hideText();
        }
        return true;
    }
    return QWidget::event(event);
}

}  // namespace dailies::ui
