#pragma once

#include <QColor>
#include <QPointF>

class QImage;
class QPainter;

namespace dailies::ui {

/// Draws very many slanted lines: into an image column by column with the coverage of each pixel, which takes
/// a tenth of what the painter's general paths do; through the painter where it does not paint on an image
/// that is ARGB32 premultiplied and all its own (SVG, a part of a larger picture). Lines that are steeper
/// than their column is wide end flat, which axes cover.
class LineRasterizer {
public:
    /// The painter outlives this and is not clipped.
    explicit LineRasterizer(QPainter& painter);

    void draw(const QPointF& from, const QPointF& to, const QColor& color, double width);

private:
    QPainter& m_painter;
    QImage* m_image;
    double m_scale = 1;
};

}  // namespace dailies::ui
