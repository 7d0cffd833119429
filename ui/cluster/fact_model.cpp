#include "ui/cluster/fact_model.h"

#include "ui/theme/theme.h"

#include <algorithm>

namespace dailies::ui {

QColor toneColor(FactTone tone) {
    const Palette& p = colors();
    switch (tone) {
        case FactTone::Normal:
            return p.text;
        case FactTone::Muted:
            return p.textMuted;
        case FactTone::Faint:
            return p.textFaint;
        case FactTone::Good:
            return p.success;
        case FactTone::Busy:
            return p.info;
        case FactTone::Warning:
            return p.warning;
        case FactTone::Bad:
            return p.danger;
    }
    return p.text;
}

FactModel::FactModel(std::vector<Column> columns, QObject* parent)
    : QAbstractTableModel(parent), m_columns(std::move(columns)) {}

void FactModel::setRows(std::vector<FactRow> rows) {
    beginResetModel();
    m_rows = std::move(rows);
    m_hasFolds =
        std::any_of(m_rows.begin(), m_rows.end(), [](const FactRow& row) { return row.open.has_value(); });
    arrange();
    endResetModel();
}

void FactModel::setSearch(const QString& words) {
    beginResetModel();
    m_search = words.simplified().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    arrange();
    endResetModel();
}

int FactModel::rowOf(const QString& key) const {
    for (std::size_t i = 0; i < m_shown.size(); ++i) {
        if (m_rows[m_shown[i]].key == key) {
            return static_cast<int>(i);
        }
    }
    return -1;
}

int FactModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_shown.size());
}

int FactModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_columns.size());
}

QVariant FactModel::data(const QModelIndex& index, int role) const {
    const FactCell& cell = rowAt(index.row()).cells[static_cast<std::size_t>(index.column())];
    switch (role) {
        case Qt::DisplayRole:
            return cell.text;
        case Qt::ToolTipRole:
            return cell.tip.isEmpty() ? cell.text : cell.tip;
        default:
            return {};
    }
}

QVariant FactModel::headerData(int section, Qt::Orientation orientation, int role) const {
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

void FactModel::sort(int column, Qt::SortOrder order) {
    beginResetModel();
    m_sortColumn = column;
    m_order = order;
    arrange();
    endResetModel();
}

void FactModel::arrange() {
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
                for (const FactCell& cell : m_rows[row].cells) {
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
            const FactCell& left = m_rows[a.begin].cells[at];
            const FactCell& right = m_rows[b.begin].cells[at];
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
