#pragma once

#include "ui/charts/chart_panel.h"
#include "ui/charts/curve_cache.h"
#include "ui/charts/curve_renderer.h"

#include <QTimer>

#include <memory>
#include <optional>
#include <string>

namespace dailies::ui {

class CurveView;

/// One metric of several runs. Reads what the screen can show (`CurveCache`), a worker draws it, `CurveView`
/// shows it. A chart that nobody sees reads and draws nothing.
class MetricChart : public ChartPanel {
    Q_OBJECT

public:
    MetricChart(CurveCache& store, const std::string& metric, QWidget* parent = nullptr);

    const std::string& metric() const { return m_metric; }
    /// The grid's settings; what was chosen for this chart alone goes before.
    void setSettings(const CurveSettings& settings);
    /// The part of the x axis to show, in its units; nullopt: everything.
    void setRange(const std::optional<Range>& range);
    /// Ranges follow one another quickly: draw more coarsely when this machine is too slow for 60 a second.
    void setDragging(bool on);
    /// Where another chart's pointer is; nullopt: nowhere.
    void setCrosshair(std::optional<double> x);
    void setStepCursor(std::optional<double> step);
    CurveView& view() { return *m_view; }

    void setRuns(const ChartedRuns& runs) override;
    QJsonObject panelState() const override;
    void restore(const QJsonObject& panelState) override;
    std::string toCsv() const override;
    bool isSettled() const override;
    void setHovered(const std::string& runId) override;
    void fillMenu(QMenu& menu) override;
    void noticeClicked() override;
    Exporter exporter(const FileOptions& options) const override;
    bool hasMorePoints() const override { return true; }

signals:
    void rangeChosen(const std::optional<dailies::series::Range>& range);
    void dragging(bool on);
    void crosshairMoved(std::optional<double> x);
    void stepChosen(const std::string& runId, double step);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    CurveSettings settings() const;
    void schedule();
    void render();
    void display(CurvePicture picture);
    void requestCurves();
    std::optional<tracking::StepRange> visibleSteps() const;
    void describeRuns();
    std::vector<CurveInput> inputs() const;
    void announce();

    CurveCache& m_store;
    std::string m_metric;
    ChartedRuns m_runs;
    QString m_limited;                 ///< which of the runs these are, when there are too many to draw
    std::vector<CurveInput> m_inputs;  ///< of the runs, without their points
    CurveSettings m_settings;
    std::optional<bool> m_logY;  ///< chosen for this chart alone
    bool m_showAll = false;
    std::optional<Range> m_range;
    std::string m_hovered;
    std::shared_ptr<PreparedCache> m_cache = std::make_shared<PreparedCache>();

    QTimer m_schedule;  ///< many reasons to draw in one turn of the event loop make one drawing
    bool m_rendering = false;
    bool m_again = false;  ///< something changed while a worker drew
    bool m_stale = false;  ///< there is something new to draw, but nobody sees this chart now
    bool m_dragging = false;
    double m_lastMilliseconds = 0;
    QString m_notice;

    CurveView* m_view;
};

}  // namespace dailies::ui
