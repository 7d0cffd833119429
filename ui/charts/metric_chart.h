#pragma once

#include "ui/bridge/run_async.h"
#include "ui/charts/curve_renderer.h"

#include <QFrame>
#include <QTimer>

#include <optional>
#include <string>
#include <vector>

class QChart;
class QChartView;
class QLabel;
class QValueAxis;
class QLogValueAxis;

namespace dailies::ui {

class CurveItem;

/// One metric of several runs as a card: Qt Charts draws the axes, an item of our own the curves, which a
/// worker rendered. The crosshair shows the values at the step under the pointer; dragging zooms into steps,
/// a double click shows all.
class MetricChart : public QFrame {
    Q_OBJECT

public:
    explicit MetricChart(const std::string& metric, QWidget* parent = nullptr);

    const std::string& metric() const { return m_metric; }
    void setCurves(std::vector<Curve> curves);
    void setSmoothing(double weight);
    void setLogarithmic(bool on);
    /// Puts the crosshair at this step without a pointer (another chart has it); nullopt removes it.
    void setCrosshair(std::optional<double> step);
    /// Nothing is being rendered.
    bool settled() const { return !m_rendering && !m_schedule.isActive(); }

signals:
    void crosshairMoved(std::optional<double> step);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void schedule();
    void render();
    void show(CurvePicture picture);
    void applyAxes();
    void applyTheme();
    std::optional<double> stepAt(const QPointF& position) const;

    std::string m_metric;
    CurveScene m_scene;
    CurvePicture m_picture;
    QTimer m_schedule;  ///< many reasons to draw in one turn of the event loop make one drawing
    AsyncTask m_task;
    bool m_rendering = false;
    bool m_stale = false;  ///< there is something new to draw, but nobody sees this chart now
    std::optional<double> m_dragFrom;

    QLabel* m_summary;
    QChart* m_chart;
    QChartView* m_view;
    QValueAxis* m_stepAxis;
    QValueAxis* m_valueAxis;
    QLogValueAxis* m_logAxis;
    CurveItem* m_item;
};

}  // namespace dailies::ui
