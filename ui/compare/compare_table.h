#pragma once

#include "core/compare/comparison.h"
#include "ui/compare/compare_columns.h"

#include <QWidget>

#include <memory>
#include <vector>

namespace dailies::ui {

/// The sections of a comparison as one tall sheet inside a scroll area: only the lines that are seen are
/// painted, whatever their number. Cells that differ from the reference are tinted, the best values of a
/// metric stand out. GUI thread only.
class CompareTable : public QWidget {
    Q_OBJECT

public:
    explicit CompareTable(QWidget* parent = nullptr);

    /// Takes the comparison's current lines; its height follows them.
    void setComparison(std::shared_ptr<const compare::Comparison> comparison,
                       const compare::LineFilter& filter);
    void setColumns(const CompareColumns& columns);
    void setCurrent(int column);

    const std::vector<compare::Line>& lines() const { return m_lines; }
    /// Tops of the sections' titles, for going from one to the next.
    std::vector<int> sectionTops() const;
    /// What a cell's tooltip says, and what a context menu copies. Empty outside of cells.
    QString describe(QPoint place) const;

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    bool event(QEvent* event) override;

private:
    int lineAt(int y) const;
    int columnAt(int x) const;
    QRect lineRect(int line) const;
    void paintRow(QPainter& painter, const QRect& area, const compare::Row& row, bool mono) const;
    void paintCell(QPainter& painter, const QRect& area, const compare::Cell& cell, bool mono) const;

    std::shared_ptr<const compare::Comparison> m_comparison;
    std::vector<compare::Line> m_lines;
    std::vector<int> m_tops;  ///< of each line, and the end
    CompareColumns m_columns;
    int m_current = 0;
    int m_hovered = -1;
};

}  // namespace dailies::ui
