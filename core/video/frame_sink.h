#pragma once

#include "core/video/clip_file.h"

#include <filesystem>
#include <memory>

namespace dailies::video {

/// Takes the checked, enlarged frames of one clip into a file: what `ClipWriter` writes through.
class FrameSink {
public:
    virtual ~FrameSink() = default;

    virtual void add(const Frame& frame) = 0;
    virtual void finish() = 0;  ///< the file is complete after it
};

/// H.264 in MP4; null where this build or machine has no encoder for it.
std::unique_ptr<FrameSink> makeMp4Sink(const std::filesystem::path& file, int width, int height,
                                       const ClipEncoding& encoding);

/// YUV4MPEG2 with full chroma (4:4:4). Needs no library.
std::unique_ptr<FrameSink> makeY4mSink(const std::filesystem::path& file, int width, int height,
                                       const ClipEncoding& encoding);

}  // namespace dailies::video
