#pragma once

#include "core/sweep/sweep.h"
#include "remote/launch/forecast.h"

#include <QAbstractTableModel>

#include <string>
#include <vector>

namespace dailies::ui {

/// The runs that a launch would make, one row each: name, what varies, and what the run repeats. A cell is
/// made when it is seen, so ten thousand runs open as fast as ten.
class PlannedRunsModel : public QAbstractTableModel {
    Q_OBJECT

public:
    using QAbstractTableModel::QAbstractTableModel;

    void setRuns(std::vector<sweep::PlannedRun> runs, remote::Forecast forecast);
    QString name(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString repeats(std::size_t row) const;

    std::vector<sweep::PlannedRun> m_runs;
    remote::Forecast m_forecast;
    std::vector<std::string> m_keys;
    bool m_anyRepeats = false;
};

}  // namespace dailies::ui
