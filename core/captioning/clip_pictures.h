#pragma once

#include "core/curation/clip_record.h"
#include "core/video/clip_file.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dailies::captioning {

/// Pictures of a curated folder's clips: from a clip's own file where there is one, else from its film. A
/// film stays open from one of its clips to the next. One thread at a time.
class ClipPictures {
public:
    explicit ClipPictures(std::filesystem::path folder) : m_folder(std::move(folder)) {}

    /// At most `count` frames in the clip's order, from the middles of as many equal parts of it, each as the
    /// bytes of a JPEG file; the longer side is at most `maxSide`. Throws `Error`.
    std::vector<std::string> jpegs(const curation::ClipRecord& clip, int count, int maxSide);

private:
    std::filesystem::path m_folder;
    std::filesystem::path m_file;  ///< of the reader
    std::optional<video::ClipReader> m_reader;
};

}  // namespace dailies::captioning
