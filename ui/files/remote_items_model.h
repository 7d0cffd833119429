#pragma once

#include "remote/cluster/remote_folder.h"

#include <QAbstractTableModel>

#include <vector>

namespace dailies::ui {

/// A folder of the cluster as rows, folders first. What a person types filters them: every word must be in
/// the name.
class RemoteItemsModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Name, Holds, Size, Modified, Columns };

    using QAbstractTableModel::QAbstractTableModel;

    void setItems(std::vector<remote::RemoteItem> items);
    void setFilter(const QString& words);
    /// Names that begin with a dot are left out unless the filter does, too.
    const remote::RemoteItem& item(int row) const { return m_items[m_shown[static_cast<std::size_t>(row)]]; }
    int rowOf(const std::string& name) const;  ///< -1: not shown

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void choose();

    std::vector<remote::RemoteItem> m_items;
    std::vector<std::size_t> m_shown;
    QString m_filter;
};

}  // namespace dailies::ui
