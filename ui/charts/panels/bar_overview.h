#pragma once

#include <QWidget>

namespace dailies::ui {

class BarList;

/// All bars of a list that holds more than fit on the screen, side by side and as thin as it takes, and a
/// frame around those that the list shows. A click or a drag takes the list there; the wheel goes along it.
class BarOverview : public QWidget {
    Q_OBJECT

public:
    /// The list must live as long as this.
    explicit BarOverview(BarList& list, QWidget* parent = nullptr);

    QSize sizeHint() const override;
    /// The frame around what the list shows, in this widget.
    QRectF frame() const;
    /// "0.98 · median 0.71 · 0.02", in the list's order.
    QString summaryText() const;

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    QRectF plotArea() const;
    void goTo(double x);

    BarList& m_list;
};

}  // namespace dailies::ui
