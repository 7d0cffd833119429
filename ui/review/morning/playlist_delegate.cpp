#include "ui/review/morning/playlist_delegate.h"

#include "ui/theme/theme.h"

#include <QFontMetrics>
#include <QIcon>
#include <QListView>
#include <QPainter>
#include <QStyle>

#include <algorithm>

namespace dailies::ui {

namespace {

constexpr int kIcon = 16;
constexpr int kTextFrom = space::k12 + kIcon + space::k12;
constexpr int kReasonFlags = Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap;

QString titleOf(const QModelIndex& index) {
    return index.data(Qt::DisplayRole).toString().section(QLatin1Char('\n'), 0, 0);
}

QString reasonOf(const QModelIndex& index) {
    return index.data(Qt::DisplayRole).toString().section(QLatin1Char('\n'), 1);
}

/// Of the line that says whose entries follow; 0 where the ones before go on.
int runHeight(const QModelIndex& index) {
    if (index.data(PlaylistDelegate::kRunRole).toString().isEmpty()) return 0;
    return (index.row() > 0 ? space::k12 : 0) + QFontMetrics(Theme::font(TextStyle::Caption)).height() +
           space::k8;
}

void paintRun(QPainter& painter, const QRect& room, const QModelIndex& index) {
    painter.setFont(Theme::font(TextStyle::Caption));
    painter.setPen(colors().textMuted);
    const QString count = index.data(PlaylistDelegate::kCountRole).toString();
    const int flags = Qt::AlignVCenter;
    painter.drawText(room, flags | Qt::AlignRight, count);
    const int width = room.width() - painter.fontMetrics().horizontalAdvance(count) - space::k12;
    painter.drawText(room, flags | Qt::AlignLeft,
                     painter.fontMetrics().elidedText(index.data(PlaylistDelegate::kRunRole).toString(),
                                                      Qt::ElideRight, width));
}

int titleHeight() {
    return QFontMetrics(Theme::font(TextStyle::Strong)).height();
}

}  // namespace

void PlaylistDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                             const QModelIndex& index) const {
    QStyleOptionViewItem ground = option;
    initStyleOption(&ground, index);
    ground.rect.setTop(option.rect.top() + runHeight(index));
    ground.text.clear();
    ground.icon = {};
    ground.features &= ~QStyleOptionViewItem::HasDecoration;
    option.widget->style()->drawControl(QStyle::CE_ItemViewItem, &ground, painter, option.widget);

    const QRect room = ground.rect.adjusted(kTextFrom, space::k8, -space::k12, -space::k8);
    index.data(Qt::DecorationRole)
        .value<QIcon>()
        .paint(painter, option.rect.left() + space::k12, room.top() + (titleHeight() - kIcon) / 2, kIcon,
               kIcon);
    painter->save();
    if (const int height = runHeight(index); height > 0) {
        const int line = height - (index.row() > 0 ? space::k12 : 0);
        paintRun(*painter,
                 QRect(option.rect.left() + space::k12, ground.rect.top() - line,
                       option.rect.width() - 2 * space::k12, line),
                 index);
    }
    painter->setFont(Theme::font(TextStyle::Strong));
    painter->setPen(colors().text);
    const QRect title(room.topLeft(), QSize(room.width(), titleHeight()));
    painter->drawText(title, Qt::AlignLeft | Qt::AlignVCenter,
                      painter->fontMetrics().elidedText(titleOf(index), Qt::ElideRight, room.width()));
    painter->setFont(Theme::font(TextStyle::Body));
    painter->setPen(colors().textMuted);
    painter->drawText(room.adjusted(0, titleHeight() + space::k4, 0, 0), kReasonFlags, reasonOf(index));
    painter->restore();
}

QSize PlaylistDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const auto* view = qobject_cast<const QListView*>(option.widget);
    const int width = std::max((view ? view->viewport()->width() : 0) - kTextFrom - space::k12, 1);
    const int reason = QFontMetrics(Theme::font(TextStyle::Body))
                           .boundingRect(QRect(0, 0, width, 1000), kReasonFlags, reasonOf(index))
                           .height();
    return {0, runHeight(index) + space::k8 + titleHeight() + space::k4 + reason + space::k8};
}

}  // namespace dailies::ui
