#pragma once

#include "ui/datasets/dataset_model.h"

#include <QScrollArea>

#include <optional>
#include <vector>

class QBoxLayout;
class QCheckBox;

namespace dailies::ui {

class MeasureRow;

/// All rules of a verdict, a row each. GUI thread only.
class ThresholdPanel : public QScrollArea {
    Q_OBJECT

public:
    explicit ThresholdPanel(DatasetModel& model, QWidget* parent = nullptr);

    MeasureRow& row(curation::Measure measure) const;
    QCheckBox& duplicates() { return *m_duplicates; }

signals:
    /// A person sets a limit of this measure now.
    void limitSet(curation::Measure measure, std::optional<double> limit);

private:
    void readClips();
    void readJudgement();

    DatasetModel& m_model;
    MeasureRow* addRow(curation::Measure measure, QBoxLayout& to);
    std::vector<MeasureRow*> allRows() const;

    std::vector<MeasureRow*> m_rows;        ///< in the order of `Measure`
    std::vector<MeasureRow*> m_scorerRows;  ///< likewise, from `kMeasures` on; of the folder that is open
    QBoxLayout* m_scorerColumn;
    QCheckBox* m_duplicates;
};

}  // namespace dailies::ui
