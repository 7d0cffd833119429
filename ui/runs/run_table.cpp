#include "ui/runs/run_table.h"

#include "ui/runs/run_delegate.h"
#include "ui/runs/run_table_model.h"
#include "ui/runs/sparkline_cache.h"
#include "ui/theme/theme.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QScrollBar>

#include <algorithm>

namespace dailies::ui {

namespace {

constexpr int kNarrowest = 72;
constexpr int kWidest = 264;
constexpr int kNameWidest = 340;
constexpr int kArrow = space::k16;  ///< the style keeps the sort arrow's place free in every title
constexpr int kSampledRows = 40;    ///< enough to see how wide values are, few enough for thousands of runs
constexpr int kMaxLetters = 160;    ///< of a value that are worth measuring
const QString kLongDuration = QStringLiteral("59 min 59 s");
const QString kLongStatus = QStringLiteral("Running 99 %");

}  // namespace

RunTable::RunTable(RunTableModel& model, SparklineCache& sparks, QWidget* parent)
    : QTableView(parent), m_runs(model), m_delegate(new RunDelegate(model, sparks, this)) {
    setModel(&model);
    setItemDelegate(m_delegate);
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setSortingEnabled(true);
    sortByColumn(-1, Qt::AscendingOrder);  // as the store gives them: newest first
    setShowGrid(false);
    setWordWrap(false);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setMouseTracking(true);
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setContextMenuPolicy(Qt::CustomContextMenu);
    setTabKeyNavigation(false);
    setAccessibleName(tr("Runs"));
    verticalHeader()->hide();
    verticalHeader()->setDefaultSectionSize(kRowHeight);
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    auto* header = horizontalHeader();
    header->setHighlightSections(false);
    header->setSectionsMovable(true);
    header->setSortIndicatorClearable(true);
    header->setStretchLastSection(true);
    header->setMinimumSectionSize(kNarrowest);
    header->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(&model, &RunTableModel::columnsChanged, this, &RunTable::fitColumns);
    connect(&model, &RunTableModel::arranged, this, [this] {
        // Not for another order or another value: columns that come and go under the eye are worse than "…".
        if (m_measured != std::array{m_runs.rowCount(), m_runs.groupCount(), m_runs.shownCount()}) {
            fitColumns();
        }
    });
    connect(&sparks, &SparklineCache::changed, viewport(), qOverload<>(&QWidget::update));
    connect(&Theme::instance(), &Theme::changed, viewport(), qOverload<>(&QWidget::update));
}

void RunTable::setHovered(const std::string& runId) {
    hoverRow(runId.empty() ? -1 : m_runs.rowOf(runId), false);
}

void RunTable::hoverRow(int row, bool tell) {
    if (row == m_hovered) {
        return;
    }
    updateRow(std::exchange(m_hovered, row));
    updateRow(row);
    if (tell) {
        const auto run = row < 0 || row >= m_runs.rowCount() ? nullptr : m_runs.runAt(row);
        emit hovered(run ? run->id : std::string());
    }
}

void RunTable::updateRow(int row) {
    if (row >= 0 && row < m_runs.rowCount()) {
        viewport()->update(0, rowViewportPosition(row), viewport()->width(), rowHeight(row));
    }
}

void RunTable::fitColumns() {
    measure();
    distributeWidth();
}

/// What each column wants to be.
void RunTable::measure() {
    auto* header = horizontalHeader();
    header->ensurePolished();
    const QFontMetrics titles(header->viewport()->font());
    m_wanted.assign(static_cast<std::size_t>(m_runs.columnCount()), 0);
    m_measured = {m_runs.rowCount(), m_runs.groupCount(), m_runs.shownCount()};
    const auto rows = sampledRows();
    for (int at = 0; at < m_runs.columnCount(); ++at) {
        const Column& column = m_runs.column(at);
        int& width = m_wanted[static_cast<std::size_t>(at)];
        if (column.kind == Column::Kind::Curve) {
            width = SparklineCache::kWidth + 2 * space::k8;
            continue;
        }
        const QString title = m_runs.headerData(at, Qt::Horizontal, Qt::DisplayRole).toString();
        width =
            std::max(kNarrowest, titles.horizontalAdvance(title.left(kMaxLetters)) + 2 * space::k12 + kArrow);
        if (column.kind == Column::Kind::Duration) {
            width = std::max(width, RunDelegate::widthOf(Column::Kind::Duration, kLongDuration));
        }
        if (column.kind == Column::Kind::Status) {  // whatever it is now: it becomes this
            width = std::max(width, RunDelegate::widthOf(Column::Kind::Status, kLongStatus));
        }
        for (const int row : rows) {
            const QString text = m_runs.index(row, at).data().toString().left(kMaxLetters);
            width = std::max(width, m_delegate->widthOf(row, column.kind, text));
        }
    }
}

/// Some rows from all over the table, the one with the longest name, and all heads of groups.
std::vector<int> RunTable::sampledRows() const {
    std::vector<int> rows;
    const int count = m_runs.rowCount();
    const int step = std::max(1, count / kSampledRows);
    std::size_t longest = 0;
    int longestRow = -1;
    for (int row = 0; row < count; ++row) {
        const auto run = m_runs.runAt(row);
        const bool head = !run && rows.size() < 2 * kSampledRows;
        if (row % step == 0 || head) {
            rows.push_back(row);
        } else if (run && run->name.size() > longest) {
            longest = run->name.size();
            longestRow = row;
        }
    }
    if (longestRow >= 0) {
        rows.push_back(longestRow);
    }
    return rows;
}

/// No column takes more than its share while others need the room; what is left over goes to those that were
/// cut off, the run's name first. Columns that a person sized keep their width.
void RunTable::distributeWidth() {
    if (m_wanted.size() != static_cast<std::size_t>(m_runs.columnCount())) {
        return;
    }
    const auto& kept = m_runs.columnChoice().widths;
    std::vector<int> widths(m_wanted.size());
    int room = viewport()->width();
    for (std::size_t at = 0; at < widths.size(); ++at) {
        const Column& column = m_runs.column(static_cast<int>(at));
        const auto own = kept.find(column.id());
        widths[at] = own != kept.end()
                         ? own->second
                         : std::min(m_wanted[at], column.kind == Column::Kind::Name ? kNameWidest : kWidest);
        room -= widths[at];
    }
    m_fittingColumns = true;
    for (std::size_t at = 0; at < widths.size(); ++at) {
        if (!kept.contains(m_runs.column(static_cast<int>(at)).id())) {
            const int more = std::clamp(m_wanted[at] - widths[at], 0, std::max(0, room));
            widths[at] += more;
            room -= more;
        }
        if (columnWidth(static_cast<int>(at)) != widths[at]) {
            setColumnWidth(static_cast<int>(at), widths[at]);
        }
    }
    m_fittingColumns = false;
}

void RunTable::resizeEvent(QResizeEvent* event) {
    QTableView::resizeEvent(event);
    distributeWidth();
}

void RunTable::keepInPlace(int row, int y) {
    if (row >= 0) {
        auto* bar = verticalScrollBar();
        bar->setValue(bar->value() + rowViewportPosition(row) - y);
    }
}

QModelIndex RunTable::moveCursor(CursorAction action, Qt::KeyboardModifiers modifiers) {
    if (m_runs.rowCount() > 0 && (action == MoveHome || action == MoveEnd)) {
        const int column = std::max(0, currentIndex().column());
        return m_runs.index(action == MoveHome ? 0 : m_runs.rowCount() - 1, column);
    }
    return QTableView::moveCursor(action, modifiers);
}

QItemSelectionModel::SelectionFlags RunTable::selectionCommand(const QModelIndex& index,
                                                               const QEvent* event) const {
    if (m_picking && event && event->type() == QEvent::KeyPress) {
        const auto modifiers = static_cast<const QKeyEvent*>(event)->modifiers();
        if ((modifiers & (Qt::ShiftModifier | Qt::ControlModifier)) == Qt::NoModifier) {
            return QItemSelectionModel::NoUpdate;
        }
    }
    return QTableView::selectionCommand(index, event);
}

void RunTable::selectionChanged(const QItemSelection& selected, const QItemSelection& deselected) {
    QTableView::selectionChanged(selected, deselected);
    m_picking = m_picking && selectionModel()->hasSelection();
}

void RunTable::scrollSideways(int direction) {
    constexpr int kStep = 80;
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() + direction * kStep);
}

void RunTable::keyPressEvent(QKeyEvent* event) {
    // The keys that a name's editor leaves over, such as the Enter that ends it, are no commands.
    if (state() == EditingState) return QTableView::keyPressEvent(event);
    const QModelIndex current = currentIndex();
    const int row = current.isValid() ? current.row() : -1;
    const auto* group = row >= 0 ? m_runs.groupAt(row) : nullptr;
    const bool plain = (event->modifiers() & ~Qt::KeypadModifier) == Qt::NoModifier;
    if (plain) {
        switch (event->key()) {
            case Qt::Key_Return:
            case Qt::Key_Enter:
                if (group) {
                    m_runs.toggleGroup(row);
                } else if (row >= 0) {
                    emit opened(m_runs.runAt(row)->id);
                }
                return;
            case Qt::Key_Space: {
                // The arrows selected the row only by passing it: the first Space keeps it.
                const auto selected = selectionModel()->selectedRows();
                const bool passed =
                    !m_picking && !group && selected.size() == 1 && selected.front().row() == row;
                m_picking = true;
                if (passed) {
                    return;
                }
                if (group && !group->collapsed) {
                    selectionModel()->select(
                        QItemSelection(m_runs.index(row + 1, 0), m_runs.index(row + group->runs, 0)),
                        QItemSelectionModel::Toggle | QItemSelectionModel::Rows);
                } else if (row >= 0 && !group) {
                    selectionModel()->select(current,
                                             QItemSelectionModel::Toggle | QItemSelectionModel::Rows);
                }
                m_picking = selectionModel()->hasSelection();
                return;
            }
            case Qt::Key_Left:
                if (group && !group->collapsed) {
                    m_runs.toggleGroup(row);
                } else if (const int head = row >= 0 && !group ? m_runs.headOf(row) : -1; head >= 0) {
                    selectionModel()->setCurrentIndex(m_runs.index(head, current.column()),
                                                      QItemSelectionModel::NoUpdate);
                    scrollTo(currentIndex());
                } else {
                    scrollSideways(-1);
                }
                return;
            case Qt::Key_Right:
                if (group && group->collapsed) {
                    m_runs.toggleGroup(row);
                } else {
                    scrollSideways(1);
                }
                return;
            default:
                break;
        }
    }
    emit unhandledKeyPressed(*event);
    QTableView::keyPressEvent(event);
}

void RunTable::editName(int row) {
    const QModelIndex at = m_runs.index(row, m_runs.columnOfId("name"));
    scrollTo(at);
    edit(at);
}

void RunTable::mouseMoveEvent(QMouseEvent* event) {
    hoverRow(rowAt(event->position().toPoint().y()), true);
    QTableView::mouseMoveEvent(event);
}

void RunTable::mousePressEvent(QMouseEvent* event) {
    const QModelIndex at = indexAt(event->position().toPoint());
    if (event->modifiers() == Qt::NoModifier) {
        m_picking = false;  // a plain click begins another selection
    }
    if (event->button() == Qt::LeftButton && at.isValid() &&
        m_runs.column(at.column()).kind == Column::Kind::Name &&
        m_delegate->eyeRect(visualRect(at), at.row()).contains(event->position().toPoint())) {
        const auto run = m_runs.runAt(at.row());
        emit visibilityToggled(run ? std::vector{run->id} : m_runs.runsOfGroup(at.row()));
        return;
    }
    if (event->button() == Qt::LeftButton && at.isValid() && m_runs.groupAt(at.row())) {
        selectionModel()->setCurrentIndex(at, QItemSelectionModel::NoUpdate);
        m_runs.toggleGroup(at.row());
        return;
    }
    QTableView::mousePressEvent(event);
}

void RunTable::mouseDoubleClickEvent(QMouseEvent* event) {
    const QModelIndex at = indexAt(event->position().toPoint());
    if (event->button() == Qt::LeftButton && at.isValid()) {
        if (m_delegate->eyeRect(visualRect(m_runs.index(at.row(), 0)), at.row())
                .contains(event->position().toPoint())) {
            mousePressEvent(event);  // two quick clicks on the eye are two
            return;
        }
        if (const auto run = m_runs.runAt(at.row())) {
            emit opened(run->id);
            return;
        }
    }
    QTableView::mouseDoubleClickEvent(event);
}

void RunTable::leaveEvent(QEvent* event) {
    hoverRow(-1, true);
    QTableView::leaveEvent(event);
}

void RunTable::focusInEvent(QFocusEvent* event) {
    QTableView::focusInEvent(event);
    if (!currentIndex().isValid() && m_runs.rowCount() > 0) {
        // A place to start from for the arrow keys, without selecting anything.
        selectionModel()->setCurrentIndex(m_runs.index(0, 0), QItemSelectionModel::NoUpdate);
    }
}

}  // namespace dailies::ui
