#pragma once

#include "ui/playback/clip_player.h"
#include "ui/playback/frame_curves.h"
#include "ui/wall/review_data.h"
#include "ui/wall/tile_review.h"
#include "ui/wall/wall_axes.h"

#include <QColor>
#include <QString>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dailies::ui {

/// What the wall says at one moment, ready to paint: texts, colours and which file plays where.
struct WallScene {
    /// Above a column or left of a row.
    struct Heading {
        std::string id;  ///< of its place on the axis; stays the same while clips come and go
        QString name;    ///< the run's, the prompt, "Step 400", "lr = 0.01"
        QString note;    ///< "seed 7"; empty where it says nothing new
        bool pinned = false;
        /// Of a run only; empty otherwise:
        std::string runId;
        QColor color;        ///< the run's, as in every table and chart
        QString metric;      ///< "adherence 0.917"; empty when it has none
        QString status;      ///< "Running 45 %"
        QString statusIcon;  ///< of resources/icons; empty: none
        QColor statusColor;
        QString details;  ///< tooltip: the params that differ, why it waits or ended
        bool best = false;
        int resamples = 0;  ///< that are stacked under the run's own clips
    };
    using Column = Heading;

    /// A clip that another one was made from.
    struct Input {
        QString name;
        std::string file;
        bool isDrawing = true;  ///< of each frame: poses, depth, …; else a picture
    };

    struct Tile {
        std::string file;  ///< empty: there is nothing to play, `note` says why
        std::string path;  ///< in the run's directory; names the clip together with the run
        int frames = 1;
        double fps = 0;
        std::string runId;  ///< whose clip it is or would be; empty: no run is here
        std::string prompt;
        std::int64_t seed = 0;
        std::int64_t step = -1;  ///< of this clip; -1: none
        bool earlier = false;    ///< the run has no clip at the wall's step; this is its nearest earlier one
        std::optional<double> adherence;
        TileReview review;  ///< see addReviews
        QString params;     ///< the run's params that differ among the runs of the wall: "lr=0.01, layers=4";
                            ///< of a resample what it differs in from its run
        QString note;
        std::vector<tracking::ClipFinding> findings = {};  ///< of the automatic checks, the worst first
        std::vector<Input> inputs = {};                    ///< pictures first
        std::vector<tracking::ClipCurve> curves = {};
    };

    std::vector<Heading> columns;
    std::vector<Heading> rows;
    std::vector<Tile> tiles;  ///< row by row
    double aspect = 1;        ///< width ÷ height of the clips
    bool hasNotes = false;    ///< on any clip

    const Tile& tile(int column, int row) const {
        return tiles[static_cast<std::size_t>(row) * columns.size() + column];
    }
    QString describe(int column, int row) const;  ///< one line for a screen reader
    QString explain(int column, int row) const;   ///< what each mark on the tile means, a line each
    bool hasInputs() const;                       ///< some clip was made from pictures or drawings
    /// What is known of each frame of the selected clip and of its neighbours in the row, the selected one
    /// last.
    std::vector<FrameCurves> frameCurves(int column, int row) const;
};

/// Texts and colours are those of the current theme: make a new scene when it changes. GUI thread only.
WallScene makeScene(const ReviewData& data, const WallArrangement& arrangement);

/// The usual wall at a step: a column a run, ordered best first by `metric`, or as launched when that is
/// empty; a row a prompt and seed.
WallScene makeScene(const ReviewData& data, std::int64_t step, const std::string& metric);

}  // namespace dailies::ui
