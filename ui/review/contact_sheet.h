#pragma once

#include "core/tracking/store.h"
#include "ui/wall/wall_scene.h"

#include <QImage>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace dailies::ui {

struct ContactSheetOptions {
    int framesPerClip = 4;  ///< spread over the clip's length
    int frameWidth = 96;    ///< pixels; 0: as the widest clip has
    bool labels = true;     ///< title, names, prompts and steps; without, nothing but the frames
};

/// One still picture of a whole sweep: rows are prompts, columns are runs, each cell some frames of a clip
/// with its step and adherence. What cannot be decoded says so in its cell. Any thread; needs a
/// QGuiApplication for its fonts (offscreen will do). Throws `Cancelled`, and `Error` where
/// it would be too large to be a picture.
QImage contactSheet(const WallScene& scene, const QString& title, const ContactSheetOptions& options = {},
                    const std::stop_token& stop = {});

/// The same as a PDF of one page, with its words as text and its frames as pictures. The file is whole or
/// absent. Throws `Error`, `Cancelled`.
void writeContactSheetPdf(const WallScene& scene, const QString& title, const std::filesystem::path& file,
                          const ContactSheetOptions& options = {}, const std::stop_token& stop = {});

/// What sheets and other outputs of a store show: these runs (none: the newest sweep's that has clips) at a
/// step (none: the last). GUI thread. Throws `Error` when these runs have no clips, or none of that step.
struct SheetContent {
    WallScene scene;
    QString title;
    judging::Reviews reviews;  ///< of its clips
};
SheetContent sheetContent(const tracking::Store& store, const std::vector<std::string>& runIds,
                          std::optional<std::int64_t> step = std::nullopt);

/// A sheet of what `sheetContent` finds.
QImage contactSheet(const tracking::Store& store, const std::vector<std::string>& runIds,
                    const ContactSheetOptions& options = {});

}  // namespace dailies::ui
