#pragma once

#include "ui/charts/panels/plot_axis.h"
#include "ui/charts/panels/plot_runs.h"
#include "ui/widgets/rendered_canvas.h"

#include <optional>
#include <string>
#include <vector>

namespace dailies::ui {

/// What parallel coordinates show: a line a run over these axes. Never changed once it is shown.
struct ParallelScene {
    PlotRunsPtr runs;
    std::vector<PlotAxis> axes;
    std::vector<QString> names;     ///< of the axes, as short as tells them apart
    std::optional<PlotAxis> color;  ///< nullopt: every line in its run's colour
};

/// Vertical axes side by side, a line through them for each run. Dragging along an axis brushes an interval;
/// an interval is moved by its middle and adjusted by its ends; a click on an axis takes its intervals away.
/// Dragging an axis by its name moves it; a double click on a line opens its run. By keyboard: ← → choose an
/// axis, Shift with them moves it, ↑ ↓ move a brush along it, + − widen and narrow it, Delete removes it, Esc
/// removes all.
class ParallelCanvas : public RenderedCanvas {
    Q_OBJECT

public:
    explicit ParallelCanvas(QWidget* parent = nullptr);

    /// Brushes stay with the fields that are still there.
    void setScene(std::shared_ptr<const ParallelScene> scene);
    const ParallelScene* scene() const { return m_scene.get(); }

    /// Between two places of an axis, `from` < `to`; runs without a value are at `kMissingPlace`.
    struct Interval {
        double from = 0, to = 1;
        bool operator==(const Interval&) const = default;
    };
    static constexpr double kMissingPlace = -0.09;

    void setBrush(std::size_t axis, std::vector<Interval> intervals);
    const std::vector<Interval>& brush(std::size_t axis) const { return m_brushes[axis]; }
    bool brushed() const;
    /// The runs that every brushed axis holds; all when none is brushed.
    std::vector<std::string> chosen() const;

    /// Brings this run's line forward because the pointer is over it elsewhere; "" = none.
    void setHovered(const std::string& runId);

    double xOf(std::size_t axis) const;
    double yOf(double place) const;
    QPointF pointOf(std::size_t run, std::size_t axis) const;

signals:
    void hovered(const std::string& runId);
    void brushesChanged();  ///< by a person, when a drag ends
    void axisMoved(std::size_t from, std::size_t to);
    void opened(const std::string& runId);

protected:
    Drawing drawing() const override;
    void paintBackground(QPainter& painter) const override;
    void paintForeground(QPainter& painter) const override;
    bool event(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    enum class Grip { New, Move, From, To };
    struct Drag {
        std::size_t axis;
        Grip grip = Grip::New;
        std::size_t interval = 0;
        double anchor = 0;  ///< the place where the drag began
        Interval before = {};
        bool moved = false;
    };

    double bottom() const;
    double placeAt(double y) const;
    std::size_t axisNear(double x) const;
    bool holds(std::size_t run) const;
    std::optional<std::size_t> runNear(const QPointF& at) const;
    std::optional<Drag> gripAt(const QPointF& at) const;
    void hover(std::optional<std::size_t> run, const QPointF& at);
    void brushAlong(double by, double wider);
    void paintAxis(QPainter& painter, std::size_t axis) const;

    std::shared_ptr<const ParallelScene> m_scene;
    bool m_missing = false;  ///< some run has no place on some axis
    std::vector<std::vector<Interval>> m_brushes;
    std::optional<Drag> m_drag;
    std::optional<std::size_t> m_movedAxis;
    double m_pointerX = 0;
    std::optional<std::size_t> m_hovered;
    std::optional<QPointF> m_pointer;  ///< where the hovered run's card belongs; not when hovered elsewhere
    std::size_t m_focus = 0;           ///< the axis that the keyboard is on
};

}  // namespace dailies::ui
