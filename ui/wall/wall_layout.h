#pragma once

#include <QRect>
#include <QSize>

#include <vector>

namespace dailies::ui {

/// Where everything on the wall goes, in device-independent pixels. Pure geometry.
///
/// Columns are runs and rows are prompts. So that many runs stay visible at once, the columns are broken into
/// bands below each other, as lines of text are. If all of it fits with tiles that are large enough, it is
/// shown whole, and as large as fits; else the tiles fill the width, with as many columns beside each other
/// as leaves them large enough, and the wall is scrolled. A size that a person chose is kept as it is.
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

    static constexpr int kHeaderHeight = 44;  ///< with a name of one line
    static constexpr int kMinTile = 128;      ///< of the shorter side, where nobody chose a size
    static constexpr int kSmallestTile = 56;  ///< that can be chosen; its width

    /// `aspect` is width ÷ height of the clips. With `pinned` every band begins with column 0, so that it
    /// stands beside each of the others; it then has a tile a band. `tileWidth`: as chosen; 0: by the room.
    static WallLayout arrange(QSize viewport, int columns, int rows, double aspect, bool pinned = false,
                              int tileWidth = 0, int headerHeight = kHeaderHeight);
    /// The widest tile that can be chosen: one that is seen whole.
    static int largestTile(QSize viewport, double aspect, int headerHeight = kHeaderHeight);
    /// One tile as large as fits, with its header.
    static WallLayout single(QSize viewport, int column, int row);
};

}  // namespace dailies::ui
