#pragma once

#include <string_view>

namespace dailies::tracking {

/// Whether a path of a run's folder is one of a clip: relative and plain, inside the folder, and named like a
/// video that can be played. What a file or an event says of paths is not trusted.
bool isClipPath(std::string_view path);

/// Whether it lies where what clips are made from is written: no clip of its own, though it is a video.
bool isInInputFolder(std::string_view path);

/// As `isClipPath`, of what a clip may be made from: a video or a picture.
bool isInputPath(std::string_view path);

}  // namespace dailies::tracking
