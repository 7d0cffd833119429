#pragma once

#include "ui/cluster/snapshot_model.h"

#include <QTableView>

namespace dailies::ui {

/// A list of a `SnapshotModel`'s rows. New rows leave the chosen row and the place in the list as they are.
class SnapshotTable : public QTableView {
    Q_OBJECT

public:
    /// `name`: what a screen reader calls it. `stretched`: the column that takes the room that is left.
    SnapshotTable(std::vector<SnapshotModel::Column> columns, const QString& name, int stretched);

    SnapshotModel& facts() { return m_model; }
    QString currentKey() const;  ///< empty: none
    void choose(const QString& key);
    int hoveredRow() const { return m_hovered; }

signals:
    void chosen(const QString& key);        ///< another row is the current one; empty: none is
    void activatedKey(const QString& key);  ///< double click or Return
    void folded(const QString& key);        ///< ← or → on it, or a click on its arrow

protected:
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;

private:
    void setHovered(int row);

    SnapshotModel m_model;
    QString m_key;  ///< of the current row
    int m_scroll = 0;
    int m_hovered = -1;
    bool m_replacing = false;
};

}  // namespace dailies::ui
