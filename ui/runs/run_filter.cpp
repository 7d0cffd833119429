#include "ui/runs/run_filter.h"

#include "ui/runs/run_table_model.h"

#include <algorithm>
#include <cmath>

namespace dailies::ui {

RunFilter::RunFilter(QObject* parent) : QSortFilterProxyModel(parent) {
    setDynamicSortFilter(true);
    setSortRole(RunTableModel::SortRole);
}

void RunFilter::setText(const QString& text) {
    m_words = text.toLower().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    invalidateFilter();
}

bool RunFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
    if (m_words.isEmpty()) {
        return true;
    }
    const QString text = sourceModel()->index(row, 0, parent).data(RunTableModel::SearchRole).toString();
    return std::all_of(m_words.begin(), m_words.end(),
                       [&](const QString& word) { return text.contains(word); });
}

bool RunFilter::lessThan(const QModelIndex& left, const QModelIndex& right) const {
    const QVariant a = left.data(RunTableModel::SortRole);
    const QVariant b = right.data(RunTableModel::SortRole);
    const auto missing = [](const QVariant& v) {
        return !v.isValid() || (v.typeId() == QMetaType::Double && std::isnan(v.toDouble()));
    };
    if (missing(a) != missing(b)) {
        // Qt swaps the order of a descending sort after this call; undone here, so that they stay at the
        // bottom.
        return missing(b) == (sortOrder() == Qt::AscendingOrder);
    }
    if (missing(a)) {
        return false;
    }
    if (a.typeId() == QMetaType::QString || b.typeId() == QMetaType::QString) {
        return QString::localeAwareCompare(a.toString(), b.toString()) < 0;
    }
    return a.toDouble() < b.toDouble();
}

}  // namespace dailies::ui
