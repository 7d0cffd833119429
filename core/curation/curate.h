#pragma once

#include "core/curation/balance.h"
#include "core/curation/clip_list.h"
#include "core/curation/curation_config.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace dailies::curation {

struct CurateOptions {
    std::vector<std::string> films;  ///< files, folders and URLs: see `FilmFiles::find`
    std::filesystem::path out;
    CurationConfig config;
    unsigned threads = 1;        ///< films decoded at once
    bool writeClips = false;     ///< as OUT/clips/<id>.mp4, those that are kept and no others
    bool writePreviews = false;  ///< as OUT/previews/<id>.mp4, of all clips: see `writePreviewFiles`
    /// What the processes have in common that curate these films into OUT together; empty: this is the only
    /// one. Letters and digits. Another word means another attempt: films that failed are tried again.
    std::string sharedBy = {};
};

struct CurateProgress {
    std::size_t films = 0;
    std::size_t filmsDone = 0;       ///< by this call, by earlier ones and, as far as is known, by others
    std::size_t kept = 0;            ///< films that this call found decoded
    std::size_t own = 0;             ///< films that it decoded
    std::size_t waiting = 0;         ///< items that others are at, while this call has nothing to do
    std::int64_t framesDecoded = 0;  ///< by this call
    std::string finished;            ///< the film that is done now; empty while films are decoded
    std::string problem;             ///< why it failed
    std::size_t clips = 0, clipsWritten = 0;  ///< files of clips and previews; those that were there included
};

/// Films to OUT/clips.jsonl, OUT/summary.json and OUT/config.json, which holds the rules that were followed.
/// What OUT/corrections.json says of clips goes before the rules. The scores of each film are kept in
/// OUT/films as soon as it is decoded: ended at any moment and called again, it goes on with the films that
/// are missing, and with other rules it decodes nothing. The same films and rules give the same bytes,
/// whatever the number of threads and however often it was ended. A film that cannot be decoded fails alone.
///
/// Processes on several nodes may share the work (`sharedBy`, `SharedWork`): each takes the longest film that
/// nobody has, and waits for the others' at the end, so that it can take over what one of them leaves behind
/// that dies; clips are written likewise, and one of them writes the list. All return when all is done.
///
/// `onProgress` is called from several threads, one at a time. Throws `InputError` as `FilmFiles::find` and
/// `loadCorrections`, `Error` where OUT cannot be written, and `Cancelled`.
ClipListSummary curate(const CurateOptions& options,
                       const std::function<void(const CurateProgress&)>& onProgress,
                       const std::stop_token& stop = {});

/// How evenly the processes that curated together decoded the films, once it is done.
Balance balanceOf(const CurateOptions& options);

}  // namespace dailies::curation
