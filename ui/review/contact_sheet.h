#pragma once

#include "core/tracking/store.h"
#include "ui/review/wall_scene.h"

#include <QImage>

#include <stop_token>
#include <string>
#include <vector>

namespace dailies::ui {

struct ContactSheetOptions {
    int framesPerClip = 4;  ///< spread over the clip's length
    int frameWidth = 96;    ///< pixels
};

/// One still picture of a whole sweep: rows are prompts, columns are runs, each cell some frames of a clip
/// with its step and adherence. What cannot be decoded says so in its cell. Any thread; needs a
/// QGuiApplication for its fonts (offscreen will do). Throws `Cancelled`.
QImage contactSheet(const WallScene& scene, const QString& title, const ContactSheetOptions& options = {},
                    const std::stop_token& stop = {});

/// The same straight from a store; `runIds` empty: the newest sweep's runs. GUI thread. Throws `Error` when
/// these runs have no clips.
QImage contactSheet(const tracking::Store& store, const std::vector<std::string>& runIds,
                    const ContactSheetOptions& options = {});

}  // namespace dailies::ui
