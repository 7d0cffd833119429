#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

namespace dailies::trainer {

struct ShardOptions {
    std::filesystem::path clips;                   ///< the folder that `curate` wrote
    std::filesystem::path out;                     ///< of the shards
    std::uint64_t bytes = std::uint64_t{1} << 30;  ///< of a shard, unless one clip takes more
    unsigned threads = 1;                          ///< films that clips are encoded of at once
};

struct ShardProgress {
    std::size_t clips = 0;    ///< that are kept
    std::size_t written = 0;  ///< of those, also by earlier calls
};

struct ShardSummary {
    std::size_t clips = 0;     ///< in the shards now, and kept
    std::size_t added = 0;     ///< of those, by this call
    std::size_t excluded = 0;  ///< samples in the shards, but dropped since
    std::size_t replaced = 0;  ///< samples whose clip is in another one with the caption that it has now
    std::size_t shards = 0;
    std::uint64_t bytes = 0;
    std::string text() const;  ///< a few lines for a person
};

/// Packs the clips that a curation keeps into WebDataset shards (000000.tar, …): <id>.mp4, <id>.txt where the
/// list or a file beside the clip has a caption, <id>.json with the clip's line of the list; and the files of
/// a `ShardFolder`. Tars that are there stay as they are, because somebody may be training on them: clips
/// that are kept since, or have another caption, go into further ones, and samples of clips that are dropped
/// since or had another caption are excluded. Ended at any moment and called again it goes on, to the same
/// bytes. Throws `InputError` as `loadCuratedFolder`, and where films of clips without a file are gone;
/// `Error` where OUT cannot be written; `Cancelled`.
ShardSummary shardClips(const ShardOptions& options,
                        const std::function<void(const ShardProgress&)>& onProgress,
                        const std::stop_token& stop = {});

}  // namespace dailies::trainer
