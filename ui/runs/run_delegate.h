#pragma once

#include "ui/run_details/run_columns.h"

#include <QStyledItemDelegate>

namespace dailies::ui {

class RunTableModel;
class SparklineCache;

/// Paints the cells of the run table: an eye and the run's colour before its name, the status with icon and
/// reason, curves as small pictures, numbers in the monospaced face so that digits stand below digits, and
/// the heads of groups.
class RunDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    RunDelegate(const RunTableModel& model, SparklineCache& sparks, QObject* parent);
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;

    /// How wide a cell must be to show this text whole.
    int widthOf(int row, Column::Kind kind, const QString& text) const;
    static int widthOf(Column::Kind kind, const QString& text);
    /// Where a click hides the curves of the row's run or group, in the cell of its name.
    QRect eyeRect(const QRect& cell, int row) const;

private:
    void paintBackground(QPainter* painter, const QStyleOptionViewItem& option, int row) const;
    int paintEye(QPainter* painter, const QRect& cell, int row) const;  ///< where what follows begins
    void paintDot(QPainter* painter, const QRect& text, const QColor& color, bool hidden) const;
    void paintGroup(QPainter* painter, QRect rect, const QModelIndex& index) const;
    void paintName(QPainter* painter, QRect rect, const QModelIndex& index) const;
    void paintStatus(QPainter* painter, QRect rect, int row) const;
    void paintCurve(QPainter* painter, QRect rect, const QModelIndex& index) const;
    const RunTableModel& m_model;
    SparklineCache& m_sparklines;
};

}  // namespace dailies::ui
