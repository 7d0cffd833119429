#pragma once

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace dailies::config {

/// What drawings can tell a model of characters of a motion (`model.guidance_types`), as Champ names them and
/// the folders and files that it keeps them in: a body's distance, its surface's direction, its parts, and
/// its pose as DWPose draws it.
inline const std::vector<std::string> kGuidanceTypes = {"depth", "normal", "semantic_map", "dwpose"};

/// Kinds of drawings that a model reads: those of `types`, or without any poses alone.
inline std::vector<std::string> drawingsOf(const std::vector<std::string>& types) {
    return types.empty() ? std::vector<std::string>{"dwpose"} : types;
}

/// Where a folder keeps the drawing of a type: TYPE.mp4 where that is there, else the folder TYPE of
/// pictures.
inline std::filesystem::path drawingIn(const std::filesystem::path& folder, const std::string& type) {
    const auto asMp4 = folder / (type + ".mp4");
    std::error_code unseen;
    return std::filesystem::exists(asMp4, unseen) ? asMp4 : folder / type;
}

}  // namespace dailies::config
