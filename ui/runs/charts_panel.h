#pragma once

#include "core/tracking/store.h"
#include "ui/charts/metric_chart.h"
#include "ui/runs/series_cache.h"

#include <QColor>
#include <QWidget>

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
class ChartsPanel : public QWidget {
    Q_OBJECT

public:
    struct ShownRun {
        std::string id;
        QString name;
        bool emphasised = false;
        bool operator==(const ShownRun&) const = default;
    };

    explicit ChartsPanel(std::filesystem::path storeFile, QWidget* parent = nullptr);

    /// Which runs to draw, and which metrics there are (in `metricOrder`).
    void setRuns(std::vector<ShownRun> runs, const std::vector<std::string>& metricKeys,
                 const QString& caption);
    /// These runs have new points; empty = any may.
    void runsChanged(const std::vector<std::string>& runIds);
    bool settled() const;

signals:
    void failed(const dailies::Error& error);

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
    std::vector<ShownRun> m_runs;
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
