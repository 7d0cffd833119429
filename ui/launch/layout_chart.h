#pragma once

#include "core/planner/layout_search.h"

#include <QChartView>

#include <cstddef>
#include <optional>
#include <vector>

class QChart;

namespace dailies::ui {

/// Layouts as dots, memory of a rank against tokens a second. What does not fit is grey, the front is a line,
/// the configuration's own has a ring. A dot under the pointer says what it is; a click chooses it.
class LayoutChart : public QChartView {
    Q_OBJECT

public:
    explicit LayoutChart(QWidget* parent = nullptr);

    void display(const planner::LayoutCandidates& choices);
    void select(std::optional<std::size_t> choice);
    /// Where a choice's dot is in this widget, for tests.
    QPointF pointOf(std::size_t choice) const;

signals:
    void selected(std::size_t choice);
    void activated(std::size_t choice);

protected:
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

private:
    void rebuild();
    std::optional<std::size_t> choiceNear(const QPointF& at) const;

    planner::LayoutCandidates m_choices;
    std::optional<std::size_t> m_selected;
};

}  // namespace dailies::ui
