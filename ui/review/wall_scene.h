#pragma once

#include "ui/review/clip_player.h"
#include "ui/review/review_data.h"

#include <QColor>
#include <QString>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dailies::ui {

/// What the wall says at one training step, ready to paint: texts, colours and which file plays where.
struct WallScene {
    struct Column {
        std::string runId;
        QString name;
        QColor color;        ///< the run's, as in every table and chart
        QString metric;      ///< "adherence 0.917"; empty when it has none
        QString status;      ///< "Running 45 %"
        QString statusIcon;  ///< of resources/icons; empty: none
        QColor statusColor;
        QString details;  ///< tooltip: the params that differ, why it waits or ended
        bool best = false;
    };
    struct Tile {
        std::string file;  ///< empty: there is nothing to play, `note` says why
        int frames = 1;
        double fps = 0;
        std::int64_t step = -1;  ///< of this clip; -1: none
        bool earlier = false;    ///< the run has no clip at the wall's step; this is its nearest earlier one
        std::optional<double> adherence;
        QString note;
    };

    std::vector<Column> columns;
    std::vector<ReviewRow> rows;
    std::vector<Tile> tiles;  ///< row by row
    bool severalSeeds = false;
    double aspect = 1;  ///< width ÷ height of the clips

    const Tile& tile(int column, int row) const {
        return tiles[static_cast<std::size_t>(row) * columns.size() + column];
    }
    QString describe(int column, int row) const;  ///< one line for a screen reader
};

/// Texts and colours are those of the current theme: make a new scene when it changes. GUI thread only.
///
/// The scene at a step, its columns ordered best first by `metric`, or as launched when that is empty.
WallScene makeScene(const ReviewData& data, std::int64_t step, const std::string& metric);

}  // namespace dailies::ui
