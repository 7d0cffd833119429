#include "ui/files/remote_items_model.h"

#include "core/base/size_text.h"
#include "core/base/text.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/widgets.h"

#include <QDateTime>
#include <QIcon>
#include <QLocale>

#include <algorithm>

namespace dailies::ui {

using remote::RemoteItem;

void RemoteItemsModel::setItems(std::vector<RemoteItem> items) {
    beginResetModel();
    m_items = std::move(items);
    choose();
    endResetModel();
}

void RemoteItemsModel::setFilter(const QString& words) {
    beginResetModel();
    m_filter = words.trimmed();
    choose();
    endResetModel();
}

void RemoteItemsModel::choose() {
    const auto words = m_filter.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    m_shown.clear();
    for (std::size_t i = 0; i < m_items.size(); ++i) {
        const QString name = QString::fromStdString(m_items[i].name);
        const bool hidden = name.startsWith(QLatin1Char('.')) && !m_filter.startsWith(QLatin1Char('.'));
        if (!hidden && std::ranges::all_of(words, [&](const QString& word) {
                return name.contains(word, Qt::CaseInsensitive);
            }))
            m_shown.push_back(i);
    }
}

int RemoteItemsModel::rowOf(const std::string& name) const {
    const auto at = std::ranges::find_if(m_shown, [&](std::size_t i) { return m_items[i].name == name; });
    return at == m_shown.end() ? -1 : static_cast<int>(at - m_shown.begin());
}

int RemoteItemsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_shown.size());
}

int RemoteItemsModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : Columns;
}

QVariant RemoteItemsModel::data(const QModelIndex& index, int role) const {
    const auto& entry = item(index.row());
    const bool isFile = entry.kind == RemoteItem::Kind::File;
    const QString name = QString::fromStdString(remote::printableName(entry.name));
    switch (role) {
        case Qt::DisplayRole:
            switch (index.column()) {
                case Name:
                    return name;
                case Holds:
                    return sanitized(entry.hint);
                case Size:
                    return isFile ? QString::fromStdString(sizeText(entry.size)) : QString();
                case Modified:
                    return QLocale().toString(QDateTime::fromSecsSinceEpoch(entry.modified),
                                              QStringLiteral("yyyy-MM-dd HH:mm"));
            }
            return {};
        case Qt::ToolTipRole:
            return index.column() == Name    ? QVariant(name)
                   : index.column() == Holds ? QVariant(sanitized(entry.hint))
                                             : QVariant();
        case Qt::DecorationRole:
            if (index.column() != Name) return {};
            return icon(entry.kind == RemoteItem::Kind::Folder ? QStringLiteral("folder")
                        : isFile                               ? QStringLiteral("dot")
                                                               : QStringLiteral("warning"));
        case Qt::ForegroundRole:
            return index.column() == Name ? QVariant() : QVariant(colors().textMuted);
        case Qt::TextAlignmentRole:
            return index.column() == Size ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant();
        case Qt::AccessibleTextRole:
            if (index.column() != Name) return {};
            return entry.kind == RemoteItem::Kind::Folder ? tr("%1, folder").arg(name) : name;
        default:
            return {};
    }
}

QVariant RemoteItemsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole && section == Size) return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    switch (section) {
        case Name:
            return tr("Name");
        case Holds:
            return tr("Contents");
        case Size:
            return tr("Size");
        default:
            return tr("Modified");
    }
}

}  // namespace dailies::ui
