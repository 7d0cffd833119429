#include "ui/cluster/snapshot_table.h"

#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/widgets.h"

#include <QHeaderView>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QStyledItemDelegate>

#include <algorithm>

namespace dailies::ui {

namespace {

constexpr int kArrow = 16;
constexpr int kCellBarWidth = 56, kCellBarHeight = 6;
constexpr int kDot = 8;

/// Fonts are looked up by name when they are made, which is too slow for every cell.
const QFont& fontOf(bool number) {
    static const QFont body = Theme::font(TextStyle::Body);
    static const QFont mono = Theme::font(TextStyle::Mono);
    return number ? mono : body;
}

class FactDelegate : public QStyledItemDelegate {
public:
    FactDelegate(SnapshotTable& table, const SnapshotModel& model)
        : QStyledItemDelegate(&table), m_table(table), m_model(model) {}

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        const Palette& p = colors();
        const SnapshotRow& row = m_model.rowAt(index.row());
        const SnapshotCell& cell = row.cells[static_cast<std::size_t>(index.column())];
        painter->save();
        if (option.state & QStyle::State_Selected) {
            painter->fillRect(option.rect, p.accentSoft);
        } else if (m_table.hoveredRow() == index.row()) {
            painter->fillRect(option.rect, p.hover);
        }
        painter->setPen(p.border);
        painter->drawLine(option.rect.bottomLeft(), option.rect.bottomRight());
        if (m_table.hasFocus() && m_table.currentIndex().row() == index.row()) {
            painter->setPen(p.accent);
            painter->drawLine(option.rect.topLeft(), option.rect.topRight());
            painter->drawLine(option.rect.left(), option.rect.bottom() - 1, option.rect.right(),
                              option.rect.bottom() - 1);
        }
        QRect rest = option.rect.adjusted(space::k12, 0, -space::k12, -1);
        if (index.column() == 0 && m_model.hasExpandableRows()) {
            paintArrow(painter, row, rest);
        }
        if (cell.dot) {
            paintDot(painter, cell, rest);
        }
        if (cell.share) {
            paintBar(painter, cell, rest);
        }
        const bool number = m_model.column(index.column()).number;
        painter->setFont(fontOf(number));
        painter->setPen(cell.share ? p.textMuted : toneColor(cell.tone));
        const int side = number && !cell.share ? Qt::AlignRight : Qt::AlignLeft;
        painter->drawText(rest, side | Qt::AlignVCenter | Qt::TextSingleLine,
                          QFontMetrics(fontOf(number)).elidedText(cell.text, Qt::ElideRight, rest.width()));
        painter->restore();
    }

private:
    void paintArrow(QPainter* painter, const SnapshotRow& row, QRect& rest) const {
        if (row.open) {
            const QRect place(rest.left() - space::k4, rest.center().y() - kArrow / 2, kArrow, kArrow);
            icon(*row.open ? QStringLiteral("chevron-down") : QStringLiteral("chevron-right"))
                .paint(painter, place);
        }
        rest.setLeft(rest.left() + kArrow + row.depth * kArrow);
    }

    void paintDot(QPainter* painter, const SnapshotCell& cell, QRect& rest) const {
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(Qt::NoPen);
        painter->setBrush(toneColor(cell.tone));
        painter->drawEllipse(QRect(rest.left(), rest.center().y() - kDot / 2 + 1, kDot, kDot));
        painter->setRenderHint(QPainter::Antialiasing, false);
        rest.setLeft(rest.left() + kDot + space::k8);
    }

    void paintBar(QPainter* painter, const SnapshotCell& cell, QRect& rest) const {
        const QRectF track(rest.left(), rest.center().y() - kCellBarHeight / 2.0 + 1, kCellBarWidth,
                           kCellBarHeight);
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(Qt::NoPen);
        painter->setBrush(colors().pressed);
        painter->drawRoundedRect(track, kCellBarHeight / 2.0, kCellBarHeight / 2.0);
        const double share = std::clamp(*cell.share, 0.0, 1.0);
        if (share > 0) {
            QRectF filled = track;
            filled.setWidth(std::max<double>(kCellBarHeight, track.width() * share));
            painter->setBrush(toneColor(cell.tone));
            painter->drawRoundedRect(filled, kCellBarHeight / 2.0, kCellBarHeight / 2.0);
        }
        painter->setRenderHint(QPainter::Antialiasing, false);
        rest.setLeft(rest.left() + kCellBarWidth + space::k8);
    }

    const SnapshotTable& m_table;
    const SnapshotModel& m_model;
};

}  // namespace

SnapshotTable::SnapshotTable(std::vector<SnapshotModel::Column> columns, const QString& name, int stretched)
    : m_model(std::move(columns)) {
    setModel(&m_model);
    configureRowList(*this, name);
    setItemDelegate(new FactDelegate(*this, m_model));
    setMouseTracking(true);
    setWordWrap(false);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    auto* header = horizontalHeader();
    header->setStretchLastSection(false);
    header->setSectionsClickable(true);
    header->setSortIndicatorShown(true);
    header->setSortIndicator(-1, Qt::AscendingOrder);
    header->setSortIndicatorClearable(true);
    for (int i = 0; i < m_model.columnCount(); ++i) {
        setColumnWidth(i, m_model.column(i).width);
    }
    header->setSectionResizeMode(stretched, QHeaderView::Stretch);
    connect(header, &QHeaderView::sortIndicatorChanged, &m_model, &SnapshotModel::sort);
    connect(this, &QTableView::activated, this,
            [this](const QModelIndex& index) { emit activatedKey(m_model.rowAt(index.row()).key); });
    connect(&m_model, &QAbstractItemModel::modelAboutToBeReset, this, [this] {
        m_replacing = true;
        m_scroll = verticalScrollBar()->value();
    });
    connect(&m_model, &QAbstractItemModel::modelReset, this, [this] {
        const int row = m_model.rowOf(m_key);
        if (row >= 0) {
            // without scrolling to it: whoever reads elsewhere stays there
            selectionModel()->setCurrentIndex(
                m_model.index(row, 0), QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
        }
        verticalScrollBar()->setValue(m_scroll);
        m_replacing = false;
        m_hovered = -1;
        if (row < 0 && !m_key.isEmpty()) {
            m_key.clear();
            emit chosen({});
        }
    });
}

QString SnapshotTable::currentKey() const {
    return m_key;
}

void SnapshotTable::choose(const QString& key) {
    if (const int row = m_model.rowOf(key); row >= 0) {
        selectRow(row);
        scrollTo(m_model.index(row, 0));
    }
}

void SnapshotTable::currentChanged(const QModelIndex& current, const QModelIndex& previous) {
    QTableView::currentChanged(current, previous);
    viewport()->update();
    if (m_replacing || !current.isValid()) {
        return;
    }
    m_key = m_model.rowAt(current.row()).key;
    emit chosen(m_key);
}

void SnapshotTable::setHovered(int row) {
    if (row != m_hovered) {
        m_hovered = row;
        viewport()->update();
    }
}

void SnapshotTable::mouseMoveEvent(QMouseEvent* event) {
    setHovered(indexAt(event->pos()).row());
    QTableView::mouseMoveEvent(event);
}

void SnapshotTable::leaveEvent(QEvent* event) {
    setHovered(-1);
    QTableView::leaveEvent(event);
}

void SnapshotTable::mousePressEvent(QMouseEvent* event) {
    QTableView::mousePressEvent(event);
    const QModelIndex index = indexAt(event->pos());
    if (event->button() != Qt::LeftButton || !index.isValid() || index.column() != 0) {
        return;
    }
    const SnapshotRow& row = m_model.rowAt(index.row());
    if (row.open && event->pos().x() - visualRect(index).left() < space::k12 + kArrow) {
        emit folded(QString(row.key));
    }
}

void SnapshotTable::keyPressEvent(QKeyEvent* event) {
    const QModelIndex index = currentIndex();
    if (index.isValid() && (event->key() == Qt::Key_Left || event->key() == Qt::Key_Right)) {
        const SnapshotRow& row = m_model.rowAt(index.row());
        if (row.open && *row.open == (event->key() == Qt::Key_Left)) {
            emit folded(QString(row.key));
        }
        return;
    }
    QTableView::keyPressEvent(event);
}

}  // namespace dailies::ui
