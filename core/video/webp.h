#pragma once

#include "core/video/clip_file.h"

#include <optional>
#include <string>

namespace dailies::video {

/// The picture as the bytes of a WebP file, lossy; nullopt where this machine's FFmpeg cannot make one.
/// Throws `Error`.
std::optional<std::string> encodeWebp(const Frame& frame);

}  // namespace dailies::video
