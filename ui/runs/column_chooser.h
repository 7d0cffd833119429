#pragma once

#include "ui/run_details/run_columns.h"

#include <QFrame>

class QLineEdit;
class QListView;

namespace dailies::ui {

class ColumnListModel;

/// A popup that lists every column there could be, with a search box: tens of thousands of keys are found by
/// typing a part. Enter or a click switches a column on or off.
class ColumnChooser : public QFrame {
    Q_OBJECT

public:
    /// Shows `shown` as switched on. Deletes itself when it is closed.
    ColumnChooser(std::vector<Column> all, const std::vector<Column>& shown, QWidget* parent);

    void popupBelow(QWidget* button);

signals:
    void toggled(const std::string& columnId, bool on);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void toggle(const QModelIndex& at);
    ColumnListModel* m_columns;
    QLineEdit* m_search;
    QListView* m_list;
};

}  // namespace dailies::ui
