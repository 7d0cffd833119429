#pragma once

#include "ui/cluster/snapshot_model.h"

#include <QWidget>

#include <vector>

namespace dailies::ui {

/// All nodes at a glance: a square each, coloured by its state and filled by how much of it is given away.
/// Hundreds fit; a click, or the arrow keys and Return, choose one.
class NodeGrid : public QWidget {
    Q_OBJECT

public:
    struct Square {
        QString name;
        StatusTone tone = StatusTone::Good;
        double used = 0;  ///< 0 to 1
        QString tip;
    };

    explicit NodeGrid(QWidget* parent = nullptr);

    void setSquares(std::vector<Square> squares);
    void choose(const QString& name);
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;

signals:
    void chosen(const QString& name);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;

private:
    int columns(int width) const;
    QRect rectOf(int index) const;
    int indexAt(QPoint point) const;
    void select(int index);

    std::vector<Square> m_squares;
    int m_current = -1;
};

}  // namespace dailies::ui
