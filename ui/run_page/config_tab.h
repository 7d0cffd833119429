#pragma once

#include "core/tracking/store.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QSortFilterProxyModel;
class QStandardItemModel;
class QTreeView;

namespace dailies::ui {

/// The run's resolved configuration as a tree that can be searched: values with their units, what each key
/// means, and a mark on those that are not the default.
class ConfigTab : public QWidget {
    Q_OBJECT

public:
    explicit ConfigTab(QWidget* parent = nullptr);
    void setRun(const tracking::Run& run);
    QTreeView& tree() { return *m_tree; }
    void focusSearch();

signals:
    void notification(const QString& text);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void refilter();
    /// As wide as the longest value, where the other columns leave room for it.
    void fitValues();

    QString m_yaml;
    std::string m_shown;  ///< what the tree was made from
    QStandardItemModel* m_model;
    QSortFilterProxyModel* m_filter;
    QTreeView* m_tree;
    QLineEdit* m_search;
    QLabel* m_count;
};

}  // namespace dailies::ui
