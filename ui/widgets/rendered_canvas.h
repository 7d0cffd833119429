#pragma once

#include "ui/bridge/run_async.h"

#include <QImage>
#include <QTimer>
#include <QWidget>

#include <functional>
#include <stop_token>

namespace dailies::ui {

/// A widget whose marks a worker draws into an image, so that thousands cost the GUI thread one copy; axes,
/// brushes and hover are painted over it live. While an image is under way the last one stays. Rendered to
/// anything but the screen (a finer picture, SVG) the marks are drawn anew, as lines and dots.
class RenderedCanvas : public QWidget {
    Q_OBJECT

public:
    /// What the drawing leaves free: nothing where it covers the whole widget, so that the image is opaque
    /// and its painting a plain copy.
    enum class Ground { Clear, Covered };

    explicit RenderedCanvas(QWidget* parent = nullptr, Ground ground = Ground::Clear);

    /// The image shows what was last asked for.
    bool isSettled() const { return !m_rendering && !m_schedule.isActive(); }

protected:
    using Drawing = std::function<void(QPainter&, std::stop_token)>;

    /// Called on the GUI thread: captures what the drawing needs, all of it shared and constant or copied.
    /// The painter has the widget's coordinates, antialiasing on. An empty function draws nothing.
    virtual Drawing drawing() const = 0;
    virtual void paintBackground(QPainter&) const {}
    virtual void paintForeground(QPainter&) const {}

    /// Asks for a new image; many calls in one turn of the event loop make one.
    void redraw();

    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void start();

    Ground m_ground;
    QTimer m_schedule;
    AsyncTask m_task;
    QImage m_image;
    bool m_rendering = false;
    bool m_again = false;  ///< something changed while an image was under way
};

}  // namespace dailies::ui
