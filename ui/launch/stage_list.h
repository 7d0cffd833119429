#pragma once

#include "remote/launch/chain_rows.h"

#include <QListView>

#include <string>
#include <vector>

class QStandardItemModel;

namespace dailies::ui {

/// The stages of a launch, one entry each: what it trains and on what, how long it takes, what it costs and
/// when it ends. As high as its entries, up to a few.
class StageList : public QListView {
    Q_OBJECT

public:
    explicit StageList(QWidget* parent = nullptr);

    /// `names`: of the stages, parallel to `rows`. The stage that was chosen stays, where there is one at its
    /// place; else the first is.
    void setRows(const std::vector<std::string>& names, const std::vector<remote::ChainRow>& rows);
    int chosen() const { return currentIndex().row(); }

    QSize sizeHint() const override;

signals:
    void chosenChanged(int stage);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QStandardItemModel* m_items;
};

}  // namespace dailies::ui
