#pragma once

#include "core/curation/clip_record.h"
#include "core/curation/film_files.h"
#include "core/video/clip_file.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dailies::curation {

/// Frames of a curated folder's clips, without black bars: from a clip's own file where there is one, else
/// from its film. A film stays open from one of its clips to the next. One thread at a time.
class ClipFrames {
public:
    explicit ClipFrames(std::filesystem::path folder) : m_folder(std::move(folder)) {}

    /// At most `count` frames in the clip's order, from the middles of as many equal parts of it; the longer
    /// side is at most `maxSide`. All of a clip's have one size. Throws `Error`.
    std::vector<video::Frame> read(const ClipRecord& clip, int count, int maxSide);

private:
    std::filesystem::path m_folder;
    FilmFiles m_films;
    std::string m_name;  ///< of what the reader reads
    std::unique_ptr<FilmFiles::Open> m_opened;
    std::optional<video::ClipReader> m_reader;
};

}  // namespace dailies::curation
