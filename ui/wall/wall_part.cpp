#include "ui/wall/wall_part.h"

#include "ui/wall/wall_view.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace dailies::ui {

namespace {

std::vector<int> allOf(std::size_t count) {
    std::vector<int> indexes(count);
    std::iota(indexes.begin(), indexes.end(), 0);
    return indexes;
}

/// A tile that the edge cuts off is in view, too.
WallPart partInView(const WallView& wall) {
    std::set<int> columns, rows;
    const QRect seen = wall.viewport()->rect();
    for (const WallLayout::Tile& tile : wall.tileLayout().tiles) {
        if (!wall.tileRect(tile.column, tile.row).intersects(seen)) continue;
        columns.insert(tile.column);
        rows.insert(tile.row);
    }
    return {WallView::tr("In view"), {columns.begin(), columns.end()}, {rows.begin(), rows.end()}};
}

}  // namespace

std::size_t clipsIn(const WallScene& scene, const WallPart& part) {
    std::size_t count = 0;
    for (const int row : part.rows)
        count += static_cast<std::size_t>(std::ranges::count_if(
            part.columns, [&](int column) { return !scene.tile(column, row).file.empty(); }));
    return count;
}

std::vector<WallPart> wallParts(const WallView& wall) {
    const WallScene& scene = wall.scene();
    if (scene.tiles.empty()) return {};
    const auto columns = allOf(scene.columns.size()), rows = allOf(scene.rows.size());
    const int column = wall.selectedColumn(), row = wall.selectedRow();
    std::vector<WallPart> parts;
    for (WallPart& part : std::vector<WallPart>{{WallView::tr("All on the wall"), columns, rows},
                                                partInView(wall),
                                                {WallView::tr("Row of the selected clip"), columns, {row}},
                                                {WallView::tr("Column of the selected clip"), {column}, rows},
                                                {WallView::tr("Selected clip"), {column}, {row}}})
        if (clipsIn(scene, part) > 0 && std::ranges::find(parts, part) == parts.end())
            parts.push_back(std::move(part));
    return parts;
}

WallScene partOf(const WallScene& scene, const WallPart& part) {
    WallScene taken;
    taken.aspect = scene.aspect;
    taken.hasNotes = scene.hasNotes;
    for (const int column : part.columns)
        taken.columns.push_back(scene.columns[static_cast<std::size_t>(column)]);
    for (const int row : part.rows) {
        taken.rows.push_back(scene.rows[static_cast<std::size_t>(row)]);
        for (const int column : part.columns) taken.tiles.push_back(scene.tile(column, row));
    }
    return taken;
}

}  // namespace dailies::ui
