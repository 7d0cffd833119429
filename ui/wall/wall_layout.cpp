#include "ui/wall/wall_layout.h"

#include "ui/theme/tokens.h"

#include <algorithm>
#include <cmath>

namespace dailies::ui {

namespace {

constexpr int kMargin = space::k16;
constexpr int kGap = space::k8;
constexpr int kBandGap = space::k16;

struct Bands {
    int count = 1;
    int columns = 1;  ///< of each band, a repeated one included
    QSize tile;
};

int shareOf(int columns, int bands) {
    return (columns + bands - 1) / bands;
}

QSize largestTile(QSize viewport, const Bands& bands, int rows, double aspect) {
    const int width = viewport.width() - 2 * kMargin - WallLayout::kLabelWidth - kGap * bands.columns;
    const int height = viewport.height() - 2 * kMargin - kBandGap * (bands.count - 1) -
                       bands.count * (WallLayout::kHeaderHeight + kGap * rows);
    const double byWidth = static_cast<double>(width) / bands.columns;
    const double byHeight = static_cast<double>(height) / (bands.count * rows) * aspect;
    const double tileWidth = std::max(std::floor(std::min(byWidth, byHeight)), 1.0);
    return {static_cast<int>(tileWidth), std::max(static_cast<int>(tileWidth / aspect), 1)};
}

/// The least tile, as many beside each other as fit. `repeated` columns stand in every band.
Bands smallestTiles(QSize viewport, int columns, int repeated, double aspect) {
    const int width = std::max(WallLayout::kMinTile, static_cast<int>(WallLayout::kMinTile * aspect));
    const int room = viewport.width() - 2 * kMargin - WallLayout::kLabelWidth;
    const int perBand = std::clamp(room / (width + kGap) - repeated, 1, columns);
    Bands bands{shareOf(columns, perBand), perBand, {}};
    // The bands are as even as can be, and the tiles as wide as that leaves room for.
    bands.columns = shareOf(columns, bands.count) + repeated;
    const int widest = std::clamp(room / bands.columns - kGap, width, 2 * width);
    bands.tile = {widest, static_cast<int>(widest / aspect)};
    return bands;
}

}  // namespace

WallLayout WallLayout::arrange(QSize viewport, int columns, int rows, double aspect, bool pinned) {
    WallLayout layout;
    layout.size = viewport;
    if (columns < 1 || rows < 1 || !(aspect > 0)) return layout;

    const int repeated = pinned && columns > 1 ? 1 : 0;
    const int others = columns - repeated;
    Bands best;
    for (int count = 1; count <= others; ++count) {
        Bands bands{count, shareOf(others, count) + repeated, {}};
        bands.tile = largestTile(viewport, bands, rows, aspect);
        if (bands.tile.width() > best.tile.width()) best = bands;
    }
    if (std::min(best.tile.width(), best.tile.height()) < kMinTile)
        best = smallestTiles(viewport, others, repeated, aspect);

    const int bandWidth = kLabelWidth + best.columns * (best.tile.width() + kGap);
    const int bandHeight = kHeaderHeight + rows * (best.tile.height() + kGap);
    const int height = 2 * kMargin + best.count * bandHeight + (best.count - 1) * kBandGap;
    layout.size = {viewport.width(), std::max(viewport.height(), height)};
    const int left = std::max((viewport.width() - bandWidth) / 2, kMargin);

    for (int band = 0; band < best.count; ++band) {
        const int top = kMargin + band * (bandHeight + kBandGap);
        const auto tileTop = [&](int row) { return top + kHeaderHeight + row * (best.tile.height() + kGap); };
        for (int row = 0; row < rows; ++row)
            layout.labels.push_back({row, {left, tileTop(row), kLabelWidth - kGap, best.tile.height()}});
        for (int i = 0; i < best.columns; ++i) {
            const int column = i < repeated ? i : band * (best.columns - repeated) + i;
            if (column >= columns) break;
            const int x = left + kLabelWidth + i * (best.tile.width() + kGap);
            layout.headers.push_back({column, {x, top, best.tile.width(), kHeaderHeight}});
            for (int row = 0; row < rows; ++row)
                layout.tiles.push_back({column, row, QRect(QPoint(x, tileTop(row)), best.tile)});
        }
    }
    return layout;
}

WallLayout WallLayout::single(QSize viewport, int column, int row) {
    WallLayout layout;
    layout.size = viewport;
    const QRect inner = QRect(QPoint(), viewport).adjusted(kMargin, kMargin, -kMargin, -kMargin);
    layout.headers.push_back({column, {inner.left(), inner.top(), inner.width(), kHeaderHeight}});
    layout.tiles.push_back({column, row, inner.adjusted(0, kHeaderHeight, 0, 0)});
    return layout;
}

}  // namespace dailies::ui
