#pragma once

#include <QStyledItemDelegate>

namespace dailies::ui {

class RunTableModel;

/// Paints the cells of the run table: the run's colour before its name, the status with icon and reason,
/// numbers in the monospaced face so that digits stand below digits.
class RunDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    RunDelegate(const RunTableModel& model, QObject* parent);
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    void paintStatus(QPainter* painter, QRect rect, const QModelIndex& source) const;
    const RunTableModel& m_model;
};

}  // namespace dailies::ui
