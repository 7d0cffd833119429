#pragma once

#include "ui/datasets/dataset_model.h"
#include "ui/datasets/histogram_view.h"

#include <QWidget>

#include <optional>
#include <vector>

class QLabel;

namespace dailies::ui {

class LimitField;

/// One number of clips: its histogram, and the limits that are set on it by line or number. GUI thread only.
class MeasureRow : public QWidget {
    Q_OBJECT

public:
    MeasureRow(DatasetModel& model, curation::Measure measure, QWidget* parent = nullptr);

    curation::Measure measure() const { return m_measure; }
    HistogramView& histogram() { return *m_histogram; }
    /// Of the threshold with that number among those of this measure.
    LimitField& field(std::size_t threshold) { return *m_fields[threshold]; }

    void readClips();      ///< other clips are there
    void readJudgement();  ///< rules or corrections are others

signals:
    /// A person sets this limit now.
    void limitSet(curation::Measure measure, std::optional<double> limit);

private:
    void setLimit(std::size_t threshold, std::optional<double> limit);
    void setLine(std::size_t line, std::optional<double> value);
    HistogramAxis axis() const;
    std::size_t scoreKey() const { return static_cast<std::size_t>(m_measure) - curation::kMeasures; }

    DatasetModel& m_model;
    curation::Measure m_measure;
    std::vector<curation::Threshold> m_thresholds;
    HistogramView* m_histogram;
    QLabel* m_dropped;
    std::vector<LimitField*> m_fields;
};

}  // namespace dailies::ui
