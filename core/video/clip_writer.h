#pragma once

#include "core/video/clip_file.h"

#include <filesystem>
#include <memory>

namespace dailies::video {

/// Writes a clip frame by frame, for clips that are made while they are written: memory holds one frame,
/// however long they get. The file is whole or absent, as with `writeClip`. One thread at a time.
class ClipWriter {
public:
    /// A name that ends in .y4m is written as that. Throws `Error` for an encoding that makes no sense.
    ClipWriter(std::filesystem::path file, const ClipEncoding& encoding);
    ~ClipWriter();  ///< without `finish` nothing is written
    ClipWriter(const ClipWriter&) = delete;
    ClipWriter& operator=(const ClipWriter&) = delete;

    /// Throws `Error` for a frame of another size than the first, or of an odd one.
    void add(const Frame& frame);

    /// Returns the path written, as `writeClip` does.
    std::filesystem::path finish();

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace dailies::video
