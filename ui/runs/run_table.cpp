#include "ui/runs/run_table.h"

#include "ui/runs/run_delegate.h"
#include "ui/runs/run_table_model.h"
#include "ui/runs/spark_cache.h"
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

}  // namespace

RunTable::RunTable(RunTableModel& model, SparkCache& sparks, QWidget* parent)
    : QTableView(parent), m_runs(model) {
    setModel(&model);
    setItemDelegate(new RunDelegate(model, sparks, this));
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setSortingEnabled(true);
    sortByColumn(-1, Qt::AscendingOrder);  // as the store gives them: newest first
    setShowGrid(false);
    setWordWrap(false);
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
        if (!m_fitted) {
            fitColumns();
        }
    });
    connect(&sparks, &SparkCache::changed, viewport(), qOverload<>(&QWidget::update));
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
    const QFontMetrics body(Theme::font(TextStyle::Body));
    const QFontMetrics mono(Theme::font(TextStyle::Mono));
    auto* header = horizontalHeader();
    header->ensurePolished();
    const QFontMetrics titles(header->viewport()->font());
    const auto& widths = m_runs.columnChoice().widths;
    const int rows = std::min(m_runs.rowCount(), kSampledRows);
    m_fitted = rows > 0;
    for (int at = 0; at < m_runs.columnCount(); ++at) {
        const Column& column = m_runs.column(at);
        if (const auto kept = widths.find(column.id()); kept != widths.end()) {
            setColumnWidth(at, kept->second);
            continue;
        }
        if (column.kind == Column::Kind::Curve) {
            setColumnWidth(at, SparkCache::kWidth + 2 * space::k8);
            continue;
        }
        const bool digits = column.kind == Column::Kind::Metric || column.kind == Column::Kind::Param ||
                            column.kind == Column::Kind::Duration;
        const QFontMetrics& metrics = digits ? mono : body;
        int width =
            titles.horizontalAdvance(m_runs.headerData(at, Qt::Horizontal, Qt::DisplayRole).toString()) +
            2 * space::k12 + kArrow;
        for (int row = 0; row < rows; ++row) {
            const QString text = m_runs.index(row, at).data().toString().left(64);
            int extra = 2 * space::k12 + 1;  // advances are rounded down, and eliding counts fractions
            if (column.kind == Column::Kind::Name || column.kind == Column::Kind::Status) {
                extra += space::k24 + space::k8;
            }
            width = std::max(width, metrics.horizontalAdvance(text) + extra);
        }
        setColumnWidth(
            at, std::clamp(width, kNarrowest, column.kind == Column::Kind::Name ? kNameWidest : kWidest));
    }
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
    QTableView::keyPressEvent(event);
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
