#pragma once

#include "ui/viewport/view_settings.h"

#include <QImage>
#include <QPolygonF>
#include <QRect>

#include <vector>

namespace dailies::ui {

/// Pictures made of two or more others, pixel by pixel. All pictures are QImage::Format_RGB32 and of one
/// size; `part` lies within them, and the result has its size. Pure; any thread. A 1080p picture takes some 3
/// ms.

/// B − A times `amplification`, each channel by itself (or luma), held to what a pixel can show.
QImage difference(const QImage& a, const QImage& b, const QRect& part, DifferenceKind kind,
                  int amplification);

/// A × (1 − opacity) + B × opacity.
QImage overlay(const QImage& a, const QImage& b, const QRect& part, double opacity);

/// The picture at half its strength, the other half made of the frames before (nearest first, tinted red) and
/// after (tinted blue), each half as strong as the one nearer to it.
QImage onionSkin(const QImage& picture, const std::vector<QImage>& before, const std::vector<QImage>& after,
                 const QRect& part);

/// The part of `frame` that shows A: what lies left of a line across it, which is upright at angle 0 and
/// turned by `degrees` clockwise; `place` moves it from one corner (0) to the opposite one (1).
QPolygonF wipePolygon(const QRectF& frame, double place, int degrees);

/// Where that line crosses the frame's edges.
QLineF wipeLine(const QRectF& frame, double place, int degrees);

/// The `place` of the line through a point.
double wipePositionAt(const QRectF& frame, const QPointF& point, int degrees);

}  // namespace dailies::ui
