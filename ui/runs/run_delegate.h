#pragma once

#include <QStyledItemDelegate>

namespace dailies::ui {

class RunTableModel;
class SparkCache;

/// Paints the cells of the run table: the run's colour before its name, the status with icon and reason,
/// curves as small pictures, numbers in the monospaced face so that digits stand below digits, and the heads
/// of groups.
class RunDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    RunDelegate(const RunTableModel& model, SparkCache& sparks, QObject* parent);
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;

private:
    void paintBackground(QPainter* painter, const QStyleOptionViewItem& option, int row) const;
    void paintGroup(QPainter* painter, QRect rect, const QModelIndex& index) const;
    void paintName(QPainter* painter, QRect rect, const QModelIndex& index) const;
    void paintStatus(QPainter* painter, QRect rect, int row) const;
    void paintCurve(QPainter* painter, QRect rect, const QModelIndex& index) const;
    const RunTableModel& m_model;
    SparkCache& m_sparks;
};

}  // namespace dailies::ui
