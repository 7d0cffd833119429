#pragma once

#include <filesystem>
#include <vector>

namespace dailies::curation {

/// The films that `named` stands for: files as they are, and all videos below folders, by their endings;
/// absolute, each once, sorted, without what lies below `except`. Throws `InputError` for a path where
/// nothing is, for a folder that cannot be read, and when there is no film at all.
std::vector<std::filesystem::path> findFilms(const std::vector<std::filesystem::path>& named,
                                             const std::filesystem::path& except);

}  // namespace dailies::curation
