#pragma once

#include "core/exchange/progress.h"

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

namespace dailies::exchange {

/// A video of a folder, with what its caption, its table or its name says of it.
struct FolderClip {
    std::filesystem::path file;  ///< absolute
    std::string path;            ///< relative to the set's folder, '/' between names
    std::int64_t step = 0;       ///< 0: nothing says one
    std::string prompt;          ///< never empty
    std::int64_t seed = 0;       ///< no two clips of a set have the same step, prompt and seed
};

/// The videos that one model made: a column of the wall. Not empty.
struct ClipSet {
    std::string name;  ///< unique among those found together
    std::filesystem::path folder;
    std::string model;              ///< as a table of captions says; empty: the folder is the model
    std::vector<FolderClip> clips;  ///< by path
};

struct FoundClips {
    std::vector<ClipSet> sets;
    std::vector<SkippedItem> skipped;
};

/// How many videos of one call are taken; what is over is skipped and told.
inline constexpr std::size_t kMostFolderClips = 20'000;

/// Looks through folders of videos. Of a folder with subfolders each subfolder is a set, with all that lies
/// below it, unless all of them are named by a training step ("checkpoint-500"): those are one set. A folder
/// without such subfolders is a set itself. A table of captions that names models makes sets of these.
/// Prompts come from `captions` where that is not empty, else from a table in the folder (CaptionTable::in),
/// else from a text beside the video, else from its name (sources::clipNameOf). A video may be given as
/// well. Hidden folders and links to folders are not followed.
///
/// Throws `InputError` when a folder is not there or no video is in any, `Cancelled` when stopped.
FoundClips findClips(const std::vector<std::filesystem::path>& folders,
                     const std::filesystem::path& captions = {}, std::stop_token stop = {});

}  // namespace dailies::exchange
