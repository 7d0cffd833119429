#pragma once

#include "ui/datasets/dataset_model.h"

#include <QScrollArea>

#include <vector>

class QCheckBox;

namespace dailies::ui {

class MeasureRow;

/// All rules of a verdict, a row each. GUI thread only.
class ThresholdPanel : public QScrollArea {
    Q_OBJECT

public:
    explicit ThresholdPanel(DatasetModel& model, QWidget* parent = nullptr);

    MeasureRow& row(curation::Measure measure) { return *m_rows[static_cast<std::size_t>(measure)]; }
    QCheckBox& duplicates() { return *m_duplicates; }

signals:
    /// A person sets a limit of this measure now.
    void limitSet(curation::Measure measure, double value);

private:
    void readClips();
    void readJudgement();

    DatasetModel& m_model;
    std::vector<MeasureRow*> m_rows;  ///< in the order of `Measure`
    QCheckBox* m_duplicates;
};

}  // namespace dailies::ui
