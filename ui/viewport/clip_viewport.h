#pragma once

#include "ui/viewport/pan_zoom.h"
#include "ui/viewport/view_settings.h"
#include "ui/widgets/rendered_canvas.h"

#include <QImage>
#include <QString>

#include <optional>
#include <vector>

namespace dailies::ui {

/// The frames to lay over one another, QImage::Format_RGB32. A null picture is one that is still being
/// decoded.
struct ViewedFrames {
    QImage a, b;
    std::vector<QImage> before, after;  ///< neighbours of b, nearest first; for the onion skin
};

/// Two clips laid over one another, zoomed and moved together, and the values of the pixel under the pointer.
/// A worker makes the picture, at the clips' own resolution; the GUI thread copies it to the screen and
/// paints line, names and probe over it. GUI thread only.
class ClipViewport : public RenderedCanvas {
    Q_OBJECT

public:
    explicit ClipViewport(QWidget* parent = nullptr);

    void setFrames(ViewedFrames frames);
    const ViewedFrames& frames() const { return m_frames; }
    void setNames(const QString& a, const QString& b);
    void setNote(const QString& note);  ///< why there is no picture

    const ViewSettings& settings() const { return m_settings; }
    void setSettings(const ViewSettings& settings);
    void setMode(
        ViewMode mode);  ///< the flip's own mode again: the other clip; the difference's: the next kind
    void changeAmount(int direction);  ///< more (1) or less (−1) of what the mode has one of
    void turnWipe(int degrees);

    const PanZoom& panZoom() const { return m_panZoom; }
    void setPanZoom(const PanZoom& place);  ///< moved so far that the picture does not leave its room
    void fit();
    void showOneToOne();
    void zoomBy(double factor);  ///< around the middle
    void movePicture(const QPointF& distance);

    static constexpr double kZoomStep = 1.25;

    /// The pixel whose values are shown, in the clips' own pixels.
    std::optional<QPoint> probe() const { return m_probe; }
    void setProbe(std::optional<QPoint> pixel);
    void toggleProbe();  ///< puts it where it was or into the middle, where it stays without a pointer
    void moveProbe(int dx, int dy);
    /// "120, 64: A 255 0 0, B 250 4 0": what the probe shows; empty without one.
    QString probeText() const;

    QSize sizeHint() const override { return {640, 360}; }

signals:
    void settingsChanged();
    void probeMoved();

protected:
    Drawing drawing() const override;
    void paintBackground(QPainter& painter) const override;
    void paintForeground(QPainter& painter) const override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    enum class Drag { None, Wipe, Turn, Picture };

    QSize pictureSize() const;
    QSizeF room() const;         ///< in device pixels
    QRectF pictureRect() const;  ///< in the widget's coordinates
    bool isNearWipe(const QPointF& position) const;
    std::optional<QPoint> pixelAt(const QPointF& position) const;
    void describe();
    void paintWipe(QPainter& painter, const QRectF& picture) const;
    void paintNames(QPainter& painter) const;
    void paintProbe(QPainter& painter, const QRectF& picture) const;

    ViewedFrames m_frames;
    QString m_nameA, m_nameB, m_note;
    ViewSettings m_settings;
    PanZoom m_panZoom;
    std::optional<QPoint> m_probe;
    bool m_probeHeld = false;  ///< put there by a key: the pointer leaving does not take it away
    Drag m_drag = Drag::None;
    QPointF m_dragged;
};

}  // namespace dailies::ui
