#pragma once

#include "ui/charts/axis_painter.h"
#include "ui/charts/curve_renderer.h"

#include <QPixmap>
#include <QWidget>

#include <memory>
#include <optional>
#include <string>

namespace dailies::ui {

/// The axes of a picture in a widget or export of that size.
Axes axesOf(const CurvePicture& picture, const QSize& size);

/// The plot of a metric's chart: shows the last picture, the axes that belong to it, crosshair, cursor and
/// ticks of what happened, and turns mouse and keys into wishes. Paints a few images and texts, whatever the
/// number of points.
class CurveView : public QWidget {
    Q_OBJECT

public:
    explicit CurveView(QWidget* parent = nullptr);

    void setPicture(CurvePicture picture);
    const CurvePicture& picture() const { return m_picture; }
    QRectF plotArea() const { return plotAreaOf(size()); }
    /// The crosshair of another chart, in the x axis's units; nullopt removes it.
    void setCrosshair(std::optional<double> x);
    /// Where something else stands (a clip).
    void setStepCursor(std::optional<double> step);
    void setEmptyText(const QString& text);  ///< what to say while there is nothing to draw

    QSize sizeHint() const override { return {360, 220}; }

signals:
    /// Show this part of the x axis, or everything.
    void rangeChosen(const std::optional<dailies::series::Range>& range);
    void dragging(bool on);  ///< ranges follow one another quickly until off
    void crosshairMoved(std::optional<double> x);
    void runHovered(const std::string& runId);
    void stepChosen(const std::string& runId, double step);
    void runClicked(const std::string& runId);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool event(QEvent* event) override;

private:
    enum class Drag { None, Zoom, Pan };

    double xAt(double pixel) const;  ///< in the axis's units
    double yAt(double pixel) const;
    double pixelX(double x) const;
    double pixelY(double y) const;
    void choose(Range range);
    void zoom(double factor, double around);
    void hover(const std::string& runId);
    void updateAxes();
    void paintEvents(QPainter& painter) const;
    void paintStepCursor(QPainter& painter) const;
    void paintCrosshair(QPainter& painter) const;
    std::vector<const EventTick*> eventsNear(const QPointF& position) const;

    CurvePicture m_picture;
    Axes m_axes;
    QPixmap m_axesPicture;
    QString m_emptyText;
    std::optional<double> m_crosshair;
    std::optional<QPointF> m_pointer;  ///< when the pointer is over this plot
    std::optional<double> m_stepCursor;
    std::string m_hovered;

    Drag m_drag = Drag::None;
    QPointF m_dragFrom;
    Range m_dragRange;  ///< the x axis when the drag began
    bool m_moved = false;
};

}  // namespace dailies::ui
