#include "ui/wall/wall_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace dailies::ui {
namespace {

struct Case {
    QSize viewport;
    int columns, rows;
    double aspect;
};

class WallLayoutTest : public testing::TestWithParam<Case> {};

TEST_P(WallLayoutTest, PlacesEveryTileOnceUnderItsHeaderWithoutOverlap) {
    const auto& [viewport, columns, rows, aspect] = GetParam();
    const WallLayout layout = WallLayout::arrange(viewport, columns, rows, aspect);
    ASSERT_EQ(layout.tiles.size(), static_cast<std::size_t>(columns) * rows);
    ASSERT_EQ(layout.headers.size(), static_cast<std::size_t>(columns));
    const QRect wall(QPoint(), layout.size);
    for (std::size_t i = 0; i < layout.tiles.size(); ++i) {
        const QRect& tile = layout.tiles[i].rect;
        EXPECT_TRUE(wall.contains(tile));
        EXPECT_NEAR(static_cast<double>(tile.width()) / tile.height(), aspect, 0.05 * aspect);
        EXPECT_GE(std::min(tile.width(), tile.height()), WallLayout::kMinTile);
        for (std::size_t j = 0; j < i; ++j)
            ASSERT_FALSE(tile.intersects(layout.tiles[j].rect)) << i << " " << j;
        for (const auto& header : layout.headers) {
            ASSERT_FALSE(tile.intersects(header.rect));
            if (header.column == layout.tiles[i].column) {
                EXPECT_EQ(header.rect.left(), tile.left());
            }
        }
        for (const auto& label : layout.labels) ASSERT_FALSE(tile.intersects(label.rect));
    }
    EXPECT_EQ(layout.size.width(), viewport.width()) << "never sideways";
}

INSTANTIATE_TEST_SUITE_P(AllSizes, WallLayoutTest,
                         testing::Values(Case{{1280, 560}, 4, 3, 1}, Case{{1280, 560}, 25, 1, 1},
                                         Case{{1280, 560}, 25, 3, 1}, Case{{1920, 900}, 25, 3, 16.0 / 9},
                                         Case{{1920, 900}, 2, 8, 9.0 / 16}, Case{{400, 300}, 7, 2, 1},
                                         Case{{3840, 2000}, 64, 4, 1}));

TEST(WallLayout_, BreaksASingleRowIntoBandsSoThatTilesStayLarge) {
    const WallLayout layout = WallLayout::arrange({1280, 900}, 25, 1, 1);
    EXPECT_GT(layout.tiles.front().rect.width(), 100) << "one row of 25 would leave 38 pixels each";
    EXPECT_EQ(layout.size.height(), 900) << "without scrolling";
}

/// Of the viewport's width, by a band of tiles with its labels.
double widthTaken(const WallLayout& layout) {
    int right = 0;
    for (const auto& tile : layout.tiles) right = std::max(right, tile.rect.right());
    return static_cast<double>(right - layout.labels.front().rect.left()) / layout.size.width();
}

TEST(WallLayout_, FillsTheRoomThereIs) {
    for (const QSize viewport : {QSize(740, 450), QSize(1220, 740), QSize(1700, 920)})
        for (const int columns : {4, 40}) {
            const WallLayout layout = WallLayout::arrange(viewport, columns, 12, 1);
            EXPECT_GT(widthTaken(layout), 0.75) << viewport.width() << " " << columns;
            EXPECT_GT(layout.size.height(), viewport.height()) << "by scrolling, not by stamps";
            EXPECT_LT(2 * layout.tiles.front().rect.height(), viewport.height())
                << "two rows are seen at once";
        }
}

TEST(WallLayout_, FillsASmallWindowWithRowsThatDoNotAllFit) {
    for (const int columns : {4, 40}) {
        const WallLayout layout = WallLayout::arrange({776, 412}, columns, 3, 1);
        EXPECT_GT(widthTaken(layout), 0.9) << columns;
        EXPECT_LT(2 * layout.tiles.front().rect.height(), 412) << "two rows are seen at once";
    }
}

TEST(WallLayout_, ALargerWindowMakesLargerTiles) {
    int before = 0;
    for (const QSize viewport : {QSize(740, 450), QSize(1000, 620), QSize(1220, 740), QSize(1700, 920)}) {
        const int tile = WallLayout::arrange(viewport, 4, 8, 1).tiles.front().rect.width();
        EXPECT_GT(tile, before) << viewport.width();
        before = tile;
    }
}

TEST(WallLayout_, ShowsAWallWholeWhoseTilesAreLargeEnough) {
    EXPECT_EQ(WallLayout::arrange({1220, 740}, 4, 3, 1).size.height(), 740);
}

TEST(WallLayout_, KeepsAChosenSizeWhateverTheWindows) {
    for (const QSize viewport : {QSize(740, 450), QSize(1700, 920)})
        EXPECT_EQ(WallLayout::arrange(viewport, 40, 12, 1, false, 90).tiles.front().rect.size(),
                  QSize(90, 90));
    const WallLayout most = WallLayout::arrange({740, 450}, 4, 3, 1, false, 5000);
    EXPECT_LT(most.headers.front().rect.height() + most.tiles.front().rect.height(), 450)
        << "no larger than is seen whole";
    EXPECT_LE(most.tiles.front().rect.right(), 740);
}

TEST(WallLayout_, RepeatsThePinnedColumnInEveryBand) {
    for (const QSize viewport : {QSize(1280, 900), QSize(500, 300)}) {
        const WallLayout layout = WallLayout::arrange(viewport, 25, 1, 1, true);
        std::map<int, int> timesShown;
        std::set<int> tops;
        for (const auto& tile : layout.tiles) {
            ++timesShown[tile.column];
            tops.insert(tile.rect.top());
            EXPECT_LE(tile.rect.right(), viewport.width());
        }
        ASSERT_GT(tops.size(), 1u);
        EXPECT_EQ(timesShown[0], static_cast<int>(tops.size()));
        for (int column = 1; column < 25; ++column) EXPECT_EQ(timesShown[column], 1) << column;
    }
}

TEST(WallLayout_, ShowsOneTileAsLargeAsFits) {
    const WallLayout layout = WallLayout::single({1280, 600}, 3, 1);
    ASSERT_EQ(layout.tiles.size(), 1u);
    EXPECT_EQ(layout.tiles[0].column, 3);
    EXPECT_GT(layout.tiles[0].rect.height(), 500);
}

TEST(WallLayout_, IsEmptyWithoutClips) {
    EXPECT_TRUE(WallLayout::arrange({800, 600}, 0, 0, 1).tiles.empty());
    EXPECT_TRUE(WallLayout::arrange({800, 600}, 3, 0, 1).tiles.empty());
}

}  // namespace
}  // namespace dailies::ui
