#pragma once

#include "ui/wall/wall_scene.h"

#include <QString>

#include <vector>

namespace dailies::ui {

class WallView;

/// Some of the wall's columns and rows, and all tiles where they cross.
struct WallPart {
    QString name;  ///< for whoever chooses among several
    std::vector<int> columns, rows;
    bool operator==(const WallPart& other) const { return columns == other.columns && rows == other.rows; }
};

/// What of the wall can be taken, the largest first: all of it, what is in view without scrolling, the
/// selected clip's row and column, and that clip alone. Each once, and none in which no clip has arrived.
std::vector<WallPart> wallParts(const WallView& wall);

/// Tiles in the part that have a clip to play.
std::size_t clipsIn(const WallScene& scene, const WallPart& part);

WallScene partOf(const WallScene& scene, const WallPart& part);

}  // namespace dailies::ui
