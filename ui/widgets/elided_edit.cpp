#include "ui/widgets/elided_edit.h"

#include <QHelpEvent>
#include <QPainter>
#include <QStyleOptionFrame>
#include <QToolTip>

namespace dailies::ui {

namespace {

constexpr int kTextMargin = 2;  ///< QLineEdit's own, which it does not tell

}  // namespace

QRect ElidedEdit::textRect() const {
    QStyleOptionFrame panel;
    initStyleOption(&panel);
    return style()
        ->subElementRect(QStyle::SE_LineEditContents, &panel, this)
        .adjusted(kTextMargin, 0, -kTextMargin, 0);
}

bool ElidedEdit::isElided() const {
    return !hasFocus() && fontMetrics().horizontalAdvance(text()) > textRect().width();
}

void ElidedEdit::paintEvent(QPaintEvent* event) {
    if (!isElided()) return QLineEdit::paintEvent(event);
    QPainter painter(this);
    QStyleOptionFrame panel;
    initStyleOption(&panel);
    style()->drawPrimitive(QStyle::PE_PanelLineEdit, &panel, &painter, this);
    const QRect room = textRect();
    painter.setPen(palette().color(QPalette::Text));
    painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(text(), Qt::ElideRight, room.width()));
}

bool ElidedEdit::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip || !isElided()) return QLineEdit::event(event);
    QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(),
                       QStringLiteral("%1\n%2").arg(text(), toolTip()), this);
    return true;
}

}  // namespace dailies::ui
