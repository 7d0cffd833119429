#pragma once

#include <QStyledItemDelegate>

namespace dailies::ui {

/// Paints an entry of the playlist: why it stands there as an icon, the item's first line as its title, the
/// rest muted below it.
class PlaylistDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    /// As high as its words need at the view's width.
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace dailies::ui
