#pragma once

#include "core/analysis/correlation.h"
#include "core/analysis/surface.h"
#include "ui/charts/panels/plot_axis.h"
#include "ui/charts/panels/plot_runs.h"
#include "ui/widgets/rendered_canvas.h"

#include <optional>
#include <string>
#include <vector>

namespace dailies::ui {

/// What a scatter shows: a dot a run. Never changed once it is shown.
struct ScatterScene {
    PlotRunsPtr runs;
    PlotAxis x, y;
    std::optional<PlotAxis> color;             ///< nullopt: every dot in its run's colour
    std::optional<analysis::Surface> surface;  ///< of the colour's places, under the dots
    analysis::RankCorrelation correlation;     ///< of x and y
    std::size_t leftOut = 0;                   ///< runs without a place
    bool anyEmphasized = false;                ///< the others are faint then
};

/// Dots over two axes. A drag chooses the dots in a rectangle, a click one, Esc none; a double click opens a
/// run. By keyboard: ← → go from dot to dot along x, Space chooses, Enter opens.
class ScatterCanvas : public RenderedCanvas {
    Q_OBJECT

public:
    explicit ScatterCanvas(QWidget* parent = nullptr);

    void setScene(std::shared_ptr<const ScatterScene> scene);
    const ScatterScene* scene() const { return m_scene.get(); }

    /// Brings this run's dot forward because the pointer is over it elsewhere; "" = none.
    void setHovered(const std::string& runId);

    /// Where the run's dot is; nullopt when it has no place on an axis.
    std::optional<QPointF> pointOf(std::size_t run) const;
    QRectF plotArea() const;

signals:
    void hovered(const std::string& runId);
    void chosen(const std::vector<std::string>& runIds);
    void opened(const std::string& runId);

protected:
    Drawing drawing() const override;
    void paintBackground(QPainter& painter) const override;
    void paintForeground(QPainter& painter) const override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    std::optional<std::size_t> runNear(const QPointF& at) const;
    void hover(std::optional<std::size_t> run);
    void goAlong(int direction);
    void paintLegend(QPainter& painter) const;

    std::shared_ptr<const ScatterScene> m_scene;
    std::optional<std::size_t> m_hovered;
    bool m_card = false;  ///< hovered here, so say what it is
    std::optional<QPointF> m_pressed;
    std::optional<QRectF> m_rubber;
};

}  // namespace dailies::ui
