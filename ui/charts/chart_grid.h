#pragma once

#include "ui/charts/charted_run.h"
#include "ui/charts/metric_chart.h"
#include "ui/charts/series_cache.h"

#include <QColor>
#include <QWidget>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

class QGridLayout;
class QLabel;
class QMenu;
class QScrollArea;
class QSlider;
class QToolButton;

namespace dailies::ui {

/// One chart a metric in a grid that fits the width, over the runs that the table shows; one smoothing and
/// one scale for all, one crosshair through all.
class ChartGrid : public QWidget {
    Q_OBJECT

public:
    explicit ChartGrid(std::filesystem::path storeFile, QWidget* parent = nullptr);

    /// Which runs to draw, in the table's order, and what to call them ("12 selected runs").
    void setRuns(const ChartedRuns& runs, const QString& caption);
    /// Whose saved arrangement to show; empty = that of all experiments together.
    void setExperiment(const std::string& name);
    /// The step that something else stands at (a clip); every chart shows it.
    void setStepCursor(std::optional<double> step);
    /// The table's pointer is over this run ("" = over none).
    void setHovered(const std::string& runId);
    /// These runs have new points; empty = any may.
    void runsChanged(const std::vector<std::string>& runIds);
    bool settled() const;

signals:
    void failed(const dailies::Error& error);
    /// The pointer is over this run's curve or mark ("" = over none).
    void runHovered(const std::string& runId);
    /// A person chose these runs' curves or marks: the table is to select them.
    void runsChosen(const std::vector<std::string>& runIds);
    /// A click on a curve: what was the run at that step?
    void stepChosen(const std::string& runId, double step);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void rebuildMenu();
    void showMetrics();
    void arrange();
    void refreshCurves();
    void requestSeries();
    std::vector<std::string> shownMetrics() const;

    SeriesCache m_cache;
    ChartedRuns m_runs;
    std::vector<std::string> m_metricKeys;
    std::vector<std::string> m_hidden;  ///< metrics that a person switched off
    std::vector<MetricChart*> m_charts;
    int m_columns = 0;

    QLabel* m_caption;
    QLabel* m_smoothingValue;
    QSlider* m_smoothing;
    QToolButton* m_logarithmic;
    QToolButton* m_metricsButton;
    QMenu* m_metricsMenu;
    QScrollArea* m_scroll;
    QWidget* m_empty;
    QGridLayout* m_grid;
};

}  // namespace dailies::ui
