#pragma once

#include "core/config/train_config.h"
#include "core/curation/film_scores.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dailies::trainer {

/// As a loss mask: the hands of whose every key point its finder is sure.
inline constexpr const char* kSureHands = "hands";

/// A stretch of a film, or all of a file whose frames are counted already.
struct FilmSpan {
    int first = 0, frames = 0;
    std::optional<curation::Box> part = {};  ///< of its pictures; none: all of them
};

/// A video of `data.folder` and those of its drawn poses.
struct ListedVideo {
    std::filesystem::path file;                     ///< or a folder of its frames
    std::vector<std::filesystem::path> poses = {};  ///< of each kind of drawing; empty: none are named
    std::optional<FilmSpan> span = {};              ///< none: all of the file, however long it is
    std::optional<std::string> caption = {};        ///< none: as it stands beside the file
    /// White where errors count more; `kSureHands`; or empty: nowhere.
    std::filesystem::path lossMask = {};
};

/// Every video below `data.folder`, with those of the same name, or key points of it (`readKeypoints`), below
/// `data.poses` and `data.loss_masks`, in
/// the order of their names; or those of a JSON file, in its order, whose relative paths begin where it lies;
/// or, where the folder is one that `curate` wrote, the clips that it keeps now, from their own files or else
/// out of their films. Pictures in a folder "images" that has those of drawings beside it are the frames of
/// one video, as Champ keeps them.
///
/// `guidanceTypes`: `model.guidance_types`. Drawings of each lie in a folder of its name below `data.poses`,
/// or without one beside the "images" of their video. Throws `InputError` for a folder or file that cannot be
/// read.
std::vector<ListedVideo> listVideos(const config::TrainConfig::Data& data,
                                    const std::vector<std::string>& guidanceTypes = {});

/// The videos of drawn poses that `poses` names: itself, or with types those that lie in it by their names.
std::vector<std::filesystem::path> drawingsIn(const std::filesystem::path& poses,
                                              const std::vector<std::string>& guidanceTypes);

}  // namespace dailies::trainer
