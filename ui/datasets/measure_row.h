#pragma once

#include "ui/datasets/dataset_model.h"
#include "ui/datasets/histogram_view.h"

#include <QWidget>

#include <vector>

class QDoubleSpinBox;
class QLabel;

namespace dailies::ui {

/// One score: its histogram, and the limits that are set on it by line or number. GUI thread only.
class MeasureRow : public QWidget {
    Q_OBJECT

public:
    MeasureRow(DatasetModel& model, curation::Measure measure, QWidget* parent = nullptr);

    curation::Measure measure() const { return m_measure; }
    HistogramView& histogram() { return *m_histogram; }
    /// Of the threshold with that number among those of this measure.
    QDoubleSpinBox& field(std::size_t threshold) { return *m_fields[threshold]; }

    void readClips();      ///< other clips are there
    void readJudgement();  ///< rules or corrections are others

signals:
    /// A person sets this limit now.
    void limitSet(curation::Measure measure, double value);

private:
    void setLimit(std::size_t threshold, double value);

    DatasetModel& m_model;
    curation::Measure m_measure;
    std::vector<const curation::Threshold*> m_thresholds;
    HistogramView* m_histogram;
    QLabel* m_dropped;
    std::vector<QDoubleSpinBox*> m_fields;
};

}  // namespace dailies::ui
