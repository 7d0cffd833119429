#pragma once

#include "core/judging/clip_review.h"
#include "ui/wall/wall_scene.h"

#include <QColor>
#include <QString>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace dailies::ui {

/// What is put out of the wall: clips in rows and columns with their headings, as texts and files alone.
struct ClipGrid {
    struct Heading {
        QString name;
        QString note;  ///< a second line: metric or status of a run, seed of a prompt; may be empty
        QColor color;  ///< a run's; invalid for what has none
        bool best = false;
    };
    struct Clip {
        std::string file;  ///< empty: `missing` says why there is none
        int frames = 1;
        double fps = 0;
        std::int64_t step = -1;
        std::optional<double> adherence;
        QString missing;
        QString remark;  ///< what people said of it; may be empty
    };

    QString title;
    std::vector<Heading> columns, rows;
    std::vector<Clip> clips;  ///< row by row
    double aspect = 1;        ///< width ÷ height

    const Clip& clip(std::size_t column, std::size_t row) const {
        return clips[row * columns.size() + column];
    }
    std::size_t present() const;  ///< clips that have a file
};

/// How the clips are put out.
struct OutputOptions {
    int pictureWidth = 0;  ///< pixels a clip is wide; 0: as the widest of them is
    bool labels = true;    ///< names, steps, prompts and remarks; without, nothing but the pictures
};

/// `reviews` are what the clips' remarks say.
ClipGrid clipGrid(const WallScene& scene, const QString& title, const judging::Reviews& reviews = {});

/// Pixels that the widest of the clips has; 0 where none can be read. Opens them: not on the GUI thread.
int widestClip(const ClipGrid& grid);

/// "step 800 · 75 %": what stands below a clip.
QString captionOf(const ClipGrid::Clip& clip);

/// How far long work is: `done` of `total`. Called on the working thread.
using OutputProgress = std::function<void(int done, int total)>;

}  // namespace dailies::ui
