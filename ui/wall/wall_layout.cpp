#include "ui/wall/wall_layout.h"

#include "ui/theme/tokens.h"

#include <algorithm>
#include <cmath>

namespace dailies::ui {

namespace {

constexpr int kMargin = space::k16;
constexpr int kGap = space::k8;
constexpr int kBandGap = space::k16;
constexpr int kNarrowestLabel = 112, kWidestLabel = 176;
/// Of more rows than this, or than fit, the wall shows that many at once, and with the next one's beginning
/// that it goes on.
constexpr int kRowsAtOnce = 3;
constexpr double kRowsOfMany = 2.1;
/// Tiles that are smaller by no more than this are no reason to scroll.
constexpr double kWorthScrolling = 0.8;

struct Bands {
    int count = 1;
    int columns = 1;  ///< of each band, a repeated one included
    QSize tile;
};

int shareOf(int columns, int bands) {
    return (columns + bands - 1) / bands;
}

/// What is to be arranged, and the room for it.
struct Wall {
    QSize viewport;
    int others = 0;    ///< columns that stand in one band each
    int repeated = 0;  ///< columns that stand in every band
    int rows = 0;
    double aspect = 1;
    int headerHeight = 0;

    int labelWidth() const { return std::clamp(viewport.width() / 9, kNarrowestLabel, kWidestLabel); }
    int room() const { return viewport.width() - 2 * kMargin - labelWidth(); }
    int widthOf(int columns) const { return room() / columns - kGap; }
    QSize tile(double width) const {
        const double whole = std::max(std::floor(width), 1.0);
        return {static_cast<int>(whole), std::max(static_cast<int>(whole / aspect), 1)};
    }
    /// Of the tiles of that many rows below each other, in that many bands, all in view.
    double widthByHeight(int bands, double rowsInView) const {
        const double height = viewport.height() - 2 * kMargin - kBandGap * (bands - 1) -
                              bands * (headerHeight + kGap * std::ceil(rowsInView));
        return height / (bands * rowsInView) * aspect;
    }
    bool isLarge(QSize tile) const { return std::min(tile.width(), tile.height()) >= WallLayout::kMinTile; }

    /// All in view, as large as fits.
    Bands whole() const {
        Bands best;
        for (int count = 1; count <= others; ++count) {
            Bands bands{count, shareOf(others, count) + repeated, {}};
            bands.tile = tile(std::min<double>(widthOf(bands.columns), widthByHeight(count, rows)));
            if (bands.tile.width() > best.tile.width()) best = bands;
        }
        return best;
    }

    /// As many columns beside each other as leaves the tiles large enough; these fill the width.
    Bands scrolled() const {
        const double least = std::max<double>(WallLayout::kMinTile, WallLayout::kMinTile * aspect);
        // rows that cannot all be in view need not be as small as if they could
        const bool all = rows <= kRowsAtOnce && widthByHeight(1, rows) >= least;
        const double highest = widthByHeight(1, all ? rows : std::min<double>(rows, kRowsOfMany));
        Bands bands;
        for (int count = 1; count <= others; ++count) {
            bands = {count, shareOf(others, count) + repeated, {}};
            bands.tile = tile(std::min<double>(widthOf(bands.columns), std::max(highest, std::ceil(least))));
            if (isLarge(bands.tile)) return bands;
        }
        bands.tile = tile(std::ceil(least));  // not even one beside the labels: the viewport cuts it off
        return bands;
    }

    Bands chosen(int tileWidth) const {
        const int perBand = std::clamp(room() / (tileWidth + kGap) - repeated, 1, others);
        return {shareOf(others, perBand), perBand + repeated, tile(tileWidth)};
    }
};

}  // namespace

int WallLayout::largestTile(QSize viewport, double aspect, int headerHeight) {
    const Wall wall{viewport, 1, 0, 1, aspect, headerHeight};
    return std::max(static_cast<int>(std::min<double>(wall.widthOf(1), wall.widthByHeight(1, 1))),
                    kSmallestTile);
}

WallLayout WallLayout::arrange(QSize viewport, int columns, int rows, double aspect, bool pinned,
                               int tileWidth, int headerHeight) {
    WallLayout layout;
    layout.size = viewport;
    if (columns < 1 || rows < 1 || !(aspect > 0)) return layout;

    const int repeated = pinned && columns > 1 ? 1 : 0;
    const Wall wall{viewport, columns - repeated, repeated, rows, aspect, headerHeight};
    Bands best;
    if (tileWidth > 0) {
        best = wall.chosen(std::clamp(tileWidth, kSmallestTile, largestTile(viewport, aspect, headerHeight)));
    } else {
        best = wall.whole();
        const Bands scrolled = wall.scrolled();
        if (!wall.isLarge(best.tile) || best.tile.width() < kWorthScrolling * scrolled.tile.width())
            best = scrolled;
    }

    const int labelWidth = wall.labelWidth();
    const int bandWidth = labelWidth + best.columns * (best.tile.width() + kGap);
    const int bandHeight = headerHeight + rows * (best.tile.height() + kGap);
    const int height = 2 * kMargin + best.count * bandHeight + (best.count - 1) * kBandGap;
    layout.size = {viewport.width(), std::max(viewport.height(), height)};
    const int left = std::max((viewport.width() - bandWidth) / 2, kMargin);

    for (int band = 0; band < best.count; ++band) {
        const int top = kMargin + band * (bandHeight + kBandGap);
        const auto tileTop = [&](int row) { return top + headerHeight + row * (best.tile.height() + kGap); };
        for (int row = 0; row < rows; ++row)
            layout.labels.push_back({row, {left, tileTop(row), labelWidth - kGap, best.tile.height()}});
        for (int i = 0; i < best.columns; ++i) {
            const int column = i < repeated ? i : band * (best.columns - repeated) + i;
            if (column >= columns) break;
            const int x = left + labelWidth + i * (best.tile.width() + kGap);
            layout.headers.push_back({column, {x, top, best.tile.width(), headerHeight}});
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
