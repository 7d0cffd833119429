#pragma once

#include <QStyledItemDelegate>

namespace dailies::ui {

/// Paints an entry of the playlist: why it stands there as an icon, the item's first line as its title, the
/// rest muted below it. Above the first entry of a run stands the run.
class PlaylistDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    static constexpr int kRunRole = Qt::UserRole;        ///< the run's name; of its first entry alone
    static constexpr int kCountRole = Qt::UserRole + 1;  ///< beside it: "4 clips"

    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    /// As high as its words need at the view's width.
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace dailies::ui
