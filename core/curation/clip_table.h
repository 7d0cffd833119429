#pragma once

#include "core/base/csv.h"

#include <cstddef>
#include <filesystem>
#include <stop_token>
#include <string>

namespace dailies::curation {

enum class ClipTableFormat { Csv, JsonLines };

struct ClipTableOptions {
    ClipTableFormat format = ClipTableFormat::Csv;
    bool dropped = false;  ///< clips that are dropped, too
    CsvEscaping text = CsvEscaping::EscapeFormulas;
};

struct WrittenClipTable {
    std::size_t clips = 0;
    std::size_t withoutFile = 0;  ///< of those, which only their films show

    std::string text() const;  ///< for a person
};

/// Writes the clips of a curated folder as a table for other programs: what its clips.jsonl says of each,
/// with the verdicts that are saved there. First stands what trainers look for: CSV has Open-Sora's columns
/// path, text, num_frames, height, width, aspect_ratio (height by width), fps and resolution, JSON lines have
/// musubi-tuner's keys video_path and caption in the place of the first two. The path is that of the clip's
/// own file, empty where it has none; of a copy, the one on its cluster. Sizes are within the black bars.
///
/// `file` is whole or as it was; one that is there is replaced. Throws `InputError` where the folder has no
/// clips.jsonl or a line of it cannot be read, `Error` where nothing can be written, and `Cancelled`.
WrittenClipTable writeClipTable(const std::filesystem::path& folder, const std::filesystem::path& file,
                                const ClipTableOptions& options = {}, const std::stop_token& stop = {});

}  // namespace dailies::curation
