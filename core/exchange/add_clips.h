#pragma once

#include "core/exchange/find_clips.h"
#include "core/exchange/progress.h"
#include "core/tracking/store.h"

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

namespace dailies::exchange {

struct AddClipsOptions {
    std::filesystem::path captions{};  ///< a table of them; empty: those beside the videos
    std::string experiment{};          ///< empty: the name of the first folder
};

/// What became of the folders' videos.
struct AddedClips {
    std::vector<std::string> runIds;  ///< the sets, in the order found: the columns of the wall
    std::string experiment;
    std::int64_t clips = 0;  ///< of these runs now
    std::int64_t added = 0, changed = 0, removed = 0;
    std::vector<SkippedItem> skipped;
};

/// Makes each set of videos in these folders (findClips) a run of the store, whose clips are played from
/// where they lie: nothing is copied. Done again it adds what is new and forgets clips whose files are gone;
/// what people said of them stays. A run's id follows from its folder.
///
/// Reads each video's index on all cores. Blocking. Throws as findClips does, and `Error` when the store
/// cannot be written.
AddedClips addClips(tracking::Store& store, const std::vector<std::filesystem::path>& folders,
                    const AddClipsOptions& options = {}, const ProgressHandler& progress = {},
                    std::stop_token stop = {});

}  // namespace dailies::exchange
