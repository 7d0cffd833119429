#pragma once

#include "ui/charts/charted_run.h"
#include "ui/compare/compare_columns.h"

#include <QWidget>

#include <string>
#include <vector>

namespace dailies::ui {

/// The heads of the compare page's columns, which stay while its sections scroll: colour, name, status, and
/// on the one under the pointer or chosen by keyboard a star (make it the reference) and a cross (take it
/// out). Dragging a head moves its column. GUI thread only.
class RunHeaderBar : public QWidget {
    Q_OBJECT

public:
    explicit RunHeaderBar(QWidget* parent = nullptr);

    void setRuns(std::vector<RunPtr> runs, std::size_t reference);
    void setColumns(const CompareColumns& columns);
    void setCurrent(int column);  ///< which column the keyboard is at

    static constexpr int kHeight = 60;

signals:
    void referenceChosen(int column);
    void removed(int column);
    void moved(int from, int to);
    void opened(int column);
    void currentChosen(int column);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    bool event(QEvent* event) override;

private:
    void paintHead(QPainter& painter, int column) const;
    QRect starRect(int column) const;
    QRect crossRect(int column) const;
    QString toolTipAt(QPoint place) const;

    std::vector<RunPtr> m_runs;
    std::size_t m_reference = 0;
    CompareColumns m_columns;
    int m_current = 0;
    int m_hovered = -1;
    int m_dragged = -1;     ///< the head that the button is down on
    bool m_moving = false;  ///< the pointer has left it meanwhile
    QPoint m_pressedAt;
};

}  // namespace dailies::ui
