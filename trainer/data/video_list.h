#pragma once

#include "core/config/train_config.h"

#include <filesystem>
#include <vector>

namespace dailies::trainer {

/// A video of `data.folder` and the one of its drawn poses.
struct ListedVideo {
    std::filesystem::path file;
    std::filesystem::path poses = {};  ///< empty: none is named
};

/// Every video below `data.folder`, with that of the same name below `data.poses`, in the order of their
/// names; or those of a JSON file, in its order, whose relative paths begin where it lies. Throws
/// `InputError` for a folder or file that cannot be read.
std::vector<ListedVideo> listVideos(const config::TrainConfig::Data& data);

}  // namespace dailies::trainer
