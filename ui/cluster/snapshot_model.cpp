#include "ui/cluster/snapshot_model.h"

#include "ui/theme/theme.h"

#include <algorithm>

namespace dailies::ui {

QColor toneColor(StatusTone tone) {
    const Palette& p = colors();
    switch (tone) {
        case StatusTone::Normal:
            return p.text;
        case StatusTone::Muted:
            return p.textMuted;
        case StatusTone::Faint:
            return p.textFaint;
        case StatusTone::Good:
            return p.success;
        case StatusTone::Busy:
            return p.info;
        case StatusTone::Warning:
            return p.warning;
        case StatusTone::Bad:
            return p.danger;
    }
    return p.text;
}

SnapshotModel::SnapshotModel(std::vector<Column> columns, QObject* parent)
    : QAbstractTableModel(parent), m_columns(std::move(columns)) {}

void SnapshotModel::setRows(std::vector<SnapshotRow> rows) {
    beginResetModel();
    m_rows = std::move(rows);
    m_hasExpandableRows = std::any_of(m_rows.begin(), m_rows.end(),
                                      [](const SnapshotRow& row) { return row.open.has_value(); });
    arrange();
    endResetModel();
}

void SnapshotModel::setSearch(const QString& words) {
    beginResetModel();
    m_search = words.simplified().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    arrange();
    endResetModel();
}

int SnapshotModel::rowOf(const QString& key) const {
    for (std::size_t i = 0; i < m_shown.size(); ++i) {
        if (m_rows[m_shown[i]].key == key) {
            return static_cast<int>(i);
        }
    }
    return -1;
}

int SnapshotModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_shown.size());
}

int SnapshotModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_columns.size());
}

QVariant SnapshotModel::data(const QModelIndex& index, int role) const {
    const SnapshotCell& cell = rowAt(index.row()).cells[static_cast<std::size_t>(index.column())];
    switch (role) {
        case Qt::DisplayRole:
            return cell.text;
        case Qt::ToolTipRole:
            return cell.tip.isEmpty() ? cell.text : cell.tip;
        default:
            return {};
    }
}

QVariant SnapshotModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) {
        return {};
    }
    switch (role) {
        case Qt::DisplayRole:
            return column(section).title;
        case Qt::ToolTipRole:
            return column(section).tip;
        case Qt::TextAlignmentRole:
            return QVariant::fromValue(
                Qt::Alignment(Qt::AlignVCenter | (column(section).number ? Qt::AlignRight : Qt::AlignLeft)));
        default:
            return {};
    }
}

void SnapshotModel::sort(int column, Qt::SortOrder order) {
    beginResetModel();
    m_sortColumn = column;
    m_order = order;
    arrange();
    endResetModel();
}

void SnapshotModel::arrange() {
    // A row of depth 0 and those below it move and are found together.
    struct Block {
        std::size_t begin, end;
    };
    std::vector<Block> blocks;
    for (std::size_t row = 0; row < m_rows.size(); ++row) {
        if (m_rows[row].depth == 0 || blocks.empty()) {
            blocks.push_back({row, row + 1});
        } else {
            blocks.back().end = row + 1;
        }
    }
    const auto found = [this](const Block& block) {
        return std::all_of(m_search.begin(), m_search.end(), [&](const QString& word) {
            for (std::size_t row = block.begin; row < block.end; ++row) {
                for (const SnapshotCell& cell : m_rows[row].cells) {
                    if (cell.text.contains(word, Qt::CaseInsensitive)) {
                        return true;
                    }
                }
            }
            return false;
        });
    };
    if (!m_search.isEmpty()) {
        std::erase_if(blocks, [&](const Block& block) { return !found(block); });
    }
    if (m_sortColumn >= 0 && m_sortColumn < columnCount()) {
        const auto at = static_cast<std::size_t>(m_sortColumn);
        const auto less = [&](const Block& a, const Block& b) {
            const SnapshotCell& left = m_rows[a.begin].cells[at];
            const SnapshotCell& right = m_rows[b.begin].cells[at];
            return left.order != right.order ? left.order < right.order : left.text < right.text;
        };
        std::stable_sort(blocks.begin(), blocks.end(), [&](const Block& a, const Block& b) {
            return m_order == Qt::AscendingOrder ? less(a, b) : less(b, a);
        });
    }
    m_shown.clear();
    for (const Block& block : blocks) {
        for (std::size_t row = block.begin; row < block.end; ++row) {
            m_shown.push_back(row);
        }
    }
}

}  // namespace dailies::ui
