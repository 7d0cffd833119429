#pragma once

#include "trainer/data/bucket_choice.h"
#include "trainer/data/remote_shards.h"
#include "trainer/data/shard_samples.h"

#include <filesystem>
#include <map>
#include <optional>

namespace dailies::trainer {

/// An array member, by its head; `problem` instead where the head cannot be read.
struct ArrayInfo {
    std::string type;
    std::vector<std::int64_t> shape;
    std::string problem;
    bool operator==(const ArrayInfo&) const = default;
};

/// A sample with what its members turned out to be.
struct IndexedSample {
    ShardSample sample;
    std::string caption;             ///< of "txt", else of "json"; empty when there is none
    std::string videoExtension;      ///< of the member that is the video or picture; empty when there is none
    std::optional<VideoInfo> video;  ///< nothing when there is none or it cannot be read
    std::string problem;             ///< why it cannot be read
    std::map<std::string, ArrayInfo> arrays;  ///< by extension
};

/// Everything that a run must know of a shard before it trains: where the members stand and what they are.
/// Reading it opens every video once, without decoding, so it is kept.
struct ShardIndex {
    std::vector<IndexedSample> samples;
    std::vector<std::string> problems;  ///< of the tar itself, as clauses without its name
};

/// The index of a shard: the one kept in `folder` for a file of this name, size and time, else a fresh one,
/// which is then kept there (or not, where `folder` is empty or cannot be written: that costs time only).
/// `threads` open videos. Processes that index the same shards at once do no harm. Throws `Error` when the
/// shard cannot be read.
ShardIndex indexShard(const std::filesystem::path& shard, const std::filesystem::path& folder, int threads);

/// Writes the index of a shard beside it, ".dailies/NAME.tar.json", unless one for its size stands there: who
/// reads the shard from elsewhere then need not bring it to look through. Throws `Error`.
void writeIndexBeside(const std::filesystem::path& shard, int threads);

/// The same of a shard that lies elsewhere, kept for its URL and stamp: the one beside it, else it is brought
/// here to be looked through, and removed again.
ShardIndex indexShard(RemoteShards& remote, const std::string& url, const objects::ObjectFacts& facts,
                      const std::filesystem::path& folder, int threads);

}  // namespace dailies::trainer
