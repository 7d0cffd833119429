#pragma once

#include <QPointF>
#include <QRectF>
#include <QSize>
#include <QSizeF>

namespace dailies::ui {

/// Which part of a picture is seen and how large, whatever the sizes of picture and room: what pictures side
/// by side share so that all show the same place. Sizes are device pixels.
class PanZoom {
public:
    static constexpr double kMaxZoom = 64;

    double zoom() const { return m_zoom; }  ///< 1: the picture fits its room
    bool isFit() const { return m_zoom == 1; }
    bool operator==(const PanZoom&) const = default;

    /// Where the whole picture lies in a room whose corner is (0, 0); its corner is on a whole pixel. A
    /// picture that fits three times or more is enlarged by a whole factor, so that each of its pixels is a
    /// square.
    QRectF rectOf(QSize picture, QSizeF room) const;

    void fit() { *this = {}; }
    /// One pixel of the picture is one of the screen.
    void showOneToOne(QSize picture, QSizeF room);
    /// Enlarges by `factor`; what is at `point` of the room stays there. Less than fit is fit.
    void zoomBy(double factor, const QPointF& point, QSize picture, QSizeF room);
    /// Moves the picture by so many pixels of the room; it does not leave the room.
    void moveBy(const QPointF& distance, QSize picture, QSizeF room);

private:
    static double fitScale(QSize picture, QSizeF room);
    void keepInside(QSize picture, QSizeF room);

    double m_zoom = 1;
    QPointF m_centre{0.5, 0.5};  ///< of the room, in the picture's width and height
};

}  // namespace dailies::ui
