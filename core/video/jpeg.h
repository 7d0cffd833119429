#pragma once

#include "core/video/clip_file.h"

#include <string>

namespace dailies::video {

/// The picture as the bytes of a JPEG file. Throws `Error`.
std::string encodeJpeg(const Frame& frame);

/// Bytes as text, with its padding.
std::string base64(const std::string& bytes);

}  // namespace dailies::video
