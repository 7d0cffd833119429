#pragma once

#include "core/captioning/caption_job.h"
#include "core/curation/captions.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

namespace dailies::captioning {

struct CaptionProgress {
    std::size_t clips = 0;    ///< that are kept
    std::size_t done = 0;     ///< that need nothing more, as far as is known
    std::size_t asked = 0;    ///< by this call
    std::int64_t tokens = 0;  ///< of the answers
    std::size_t waiting = 0;  ///< items that other tasks are at, while this call has nothing to do
    std::string told;         ///< news for a person; empty mostly
};

struct CaptionSummary {
    std::size_t kept = 0;       ///< clips
    std::size_t captioned = 0;  ///< of them, by whatever
    std::size_t asked = 0;      ///< by this call
    std::int64_t tokens = 0;    ///< of the answers
    double seconds = 0;         ///< that this call took, without the server's start
    std::array<std::size_t, curation::kCaptionStatuses> statuses = {};  ///< clips that are kept, each

    std::string text() const;  ///< a few lines for a person, made harmless for a terminal
};

struct CaptionLimits {
    std::chrono::seconds start{1800};    ///< that `serve` may take to answer
    std::chrono::seconds patience{300};  ///< that the server may be away
};

/// Asks for a caption of each clip that FOLDER keeps and that needs one: it has none, an earlier request
/// failed, or, with other settings than now, what came was of no use; `again` also takes those that another
/// model or prompt wrote. What is by hand stays. Each caption is kept as soon as it is known, so that a call
/// ended at any moment goes on when it is made again. At the end they stand in captions.jsonl, in clips.jsonl
/// and beside the clips' files.
///
/// A clip that cannot be read, or whose request is not accepted, fails alone; where the first twenty do, it
/// is the work that fails. Several processes may share it (`SharedWork`), each with a server of its own.
/// `log`: where `serve` prints to.
///
/// `onProgress` is called from several threads, one at a time. Throws as `loadCuratedFolder`, `Error` where
/// the server does not answer or the folder cannot be written, and `Cancelled`.
CaptionSummary captionClips(const CaptionJob& job, const std::filesystem::path& log,
                            const std::function<void(const CaptionProgress&)>& onProgress,
                            const std::stop_token& stop = {}, const CaptionLimits& limits = {});

}  // namespace dailies::captioning
