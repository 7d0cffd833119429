#pragma once

#include <QTableView>

#include <string>

namespace dailies::ui {

class RunTableModel;
class SparkCache;

/// The table's view: rows, not cells, are what the pointer and the keys act on. Space toggles a row's
/// selection, Enter opens it, ← and → fold groups or scroll sideways.
class RunTable : public QTableView {
    Q_OBJECT

public:
    RunTable(RunTableModel& model, SparkCache& sparks, QWidget* parent = nullptr);

    /// Marks the row of a run that is pointed at elsewhere ("": none).
    void setHovered(const std::string& runId);
    int hoveredRow() const { return m_hovered; }
    /// Widths that fit the titles and a sample of the values; columns that a person sized keep theirs.
    void fitColumns();
    /// Keeps the row in place on the screen while rows come and go above it.
    void keepInPlace(int row, int y);
    int firstVisibleRow() const { return rowAt(0); }

signals:
    void opened(const std::string& runId);
    void hovered(const std::string& runId);  ///< "": none

protected:
    QModelIndex moveCursor(CursorAction action, Qt::KeyboardModifiers modifiers) override;
    QItemSelectionModel::SelectionFlags selectionCommand(const QModelIndex& index,
                                                         const QEvent* event) const override;
    void selectionChanged(const QItemSelection& selected, const QItemSelection& deselected) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void keyboardSearch(const QString&) override {}  // letters are commands here

private:
    void hoverRow(int row, bool tell);
    void updateRow(int row);
    void scrollSideways(int direction);
    RunTableModel& m_runs;
    int m_hovered = -1;
    bool m_picking = false;  ///< rows are chosen with Space: the arrows move, and leave the selection alone
    bool m_fitted = false;   ///< the widths were chosen with values at hand
};

}  // namespace dailies::ui
