#pragma once

#include <QRect>
#include <QSize>

#include <vector>

namespace dailies::ui {

/// Where everything on the wall goes, in device-independent pixels. Pure geometry.
///
/// Columns are runs and rows are prompts. So that many runs stay visible at once, the columns are broken into
/// bands below each other, as lines of text are; of all ways to break them, the one with the largest tiles is
/// taken. Only when even tiles of the least size do not fit does the wall become higher than the viewport.
struct WallLayout {
    struct Tile {
        int column = 0, row = 0;
        QRect rect;
    };
    struct Header {  ///< above a column
        int column = 0;
        QRect rect;
    };
    struct Label {  ///< left of a row, once a band
        int row = 0;
        QRect rect;
    };

    std::vector<Tile> tiles;
    std::vector<Header> headers;
    std::vector<Label> labels;
    QSize size;  ///< of the whole wall; at least as wide as the viewport

    static constexpr int kHeaderHeight = 44;
    static constexpr int kLabelWidth = 112;
    static constexpr int kMinTile = 88;  ///< of the shorter side

    /// `aspect` is width ÷ height of the clips. With `pinned` every band begins with column 0, so that it
    /// stands beside each of the others; it then has a tile a band.
    static WallLayout arrange(QSize viewport, int columns, int rows, double aspect, bool pinned = false);
    /// One tile as large as fits, with its header.
    static WallLayout single(QSize viewport, int column, int row);
};

}  // namespace dailies::ui
