#pragma once

#include "core/video/clip_file.h"

#include <string>
#include <vector>

namespace dailies::video {

/// Throws `Error` unless there is at least one frame, all are of one size, that size times `encoding.scale`
/// is even and the encoding's numbers make sense. `file` is named in the message.
void checkFrames(const std::filesystem::path& file, const std::vector<Frame>& frames,
                 const ClipEncoding& encoding);

/// The picture enlarged by a whole factor, each pixel becoming factor × factor equal ones.
Frame enlarge(const Frame& frame, int factor);

/// Writes checked frames as YUV4MPEG2 with full chroma (4:4:4), atomically. Needs no library.
void writeY4m(const std::filesystem::path& file, const std::vector<Frame>& frames,
              const ClipEncoding& encoding);

}  // namespace dailies::video
