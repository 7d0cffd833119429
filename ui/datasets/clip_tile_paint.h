#pragma once

#include "core/curation/verdict.h"

#include <QImage>
#include <QRect>
#include <QString>

class QPainter;

namespace dailies::ui {

/// What a tile shows. `picture` is null while it is being decoded.
struct ClipTile {
    QImage picture;
    QString problem;  ///< why there is no picture
    QString length;   ///< "4.2 s"
    QString number;   ///< of the score that the wall is sorted by
    QString reasons;  ///< why it is dropped; empty: it is kept
    bool dimmed = false;
    curation::Correction correction = curation::Correction::None;
    bool selected = false, focused = false;
    double progress = -1;  ///< 0 to 1 while it is played
};

inline constexpr int kTileCaption = 22;  ///< below the picture

/// `rect`: picture and caption. In the current theme.
void paintClipTile(QPainter& painter, const QRect& rect, const ClipTile& tile);

/// A picture in device pixels in the middle of a rectangle, on whole ones.
void paintCentred(QPainter& painter, const QRect& rect, const QImage& picture);

}  // namespace dailies::ui
