#pragma once

#include <QTableView>

#include <array>
#include <string>
#include <vector>

namespace dailies::ui {

class RunDelegate;
class RunTableModel;
class SparklineCache;

/// The table's view: rows, not cells, are what the pointer and the keys act on. Space toggles a row's
/// selection, Enter opens it, ← and → fold groups or scroll sideways.
class RunTable : public QTableView {
    Q_OBJECT

public:
    RunTable(RunTableModel& model, SparklineCache& sparks, QWidget* parent = nullptr);

    /// Marks the row of a run that is pointed at elsewhere ("": none).
    void setHovered(const std::string& runId);
    int hoveredRow() const { return m_hovered; }
    /// Widths that fit the titles and a sample of the values as far as there is room; columns that a person
    /// sized keep theirs.
    void fitColumns();
    /// Lets a person write another name of the row's run.
    void editName(int row);
    /// The columns are being resized to fit, not by a person.
    bool isFittingColumns() const { return m_fittingColumns; }
    /// Keeps the row in place on the screen while rows come and go above it.
    void keepInPlace(int row, int y);
    int firstVisibleRow() const { return rowAt(0); }

signals:
    void opened(const std::string& runId);
    void hovered(const std::string& runId);  ///< "": none
    void visibilityToggled(const std::vector<std::string>& runIds);
    void unhandledKeyPressed(const QKeyEvent& event);  ///< pressed here, and no command of the table itself

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
    void resizeEvent(QResizeEvent* event) override;
    void keyboardSearch(const QString&) override {}  // letters are commands here

private:
    void measure();
    std::vector<int> sampledRows() const;
    void distributeWidth();
    void hoverRow(int row, bool tell);
    void updateRow(int row);
    void scrollSideways(int direction);
    RunTableModel& m_runs;
    RunDelegate* m_delegate;
    std::vector<int> m_wanted;        ///< widths by column; beyond what there is room for
    std::array<int, 3> m_measured{};  ///< rows, groups and runs when they were measured
    bool m_fittingColumns = false;
    int m_hovered = -1;
    bool m_picking = false;  ///< rows are chosen with Space: the arrows move, and leave the selection alone
};

}  // namespace dailies::ui
