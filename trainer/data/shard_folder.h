#pragma once

#include "trainer/data/shard_samples.h"

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace dailies::trainer {

/// A folder of WebDataset shards that `dailies-train shard` wrote, with the files by which others open it: of
/// wids (index.json) and of Megatron-Energon 7 (NAME.tar.idx, and .nv-meta with its split.yaml). These follow
/// from the tars and from what is excluded, and can be made anew at any time.
struct ShardFolder {
    struct Shard {
        std::string name;                  ///< "000007.tar"
        std::vector<ShardSample> samples;  ///< in order
        /// Bytes at which each sample begins, and where the last one ends.
        std::vector<std::uint64_t> offsets;
    };
    std::vector<Shard> shards;       ///< by name
    std::set<std::string> excluded;  ///< "000007.tar/<key>", or a whole "000007.tar"
};

/// An empty one where there is no such folder. Throws `Error` where a tar or split.yaml cannot be read.
ShardFolder readShardFolder(const std::filesystem::path& folder);

/// Of a tar of plain headers, which stand right before their members, as `TarWriter` leaves it. Throws
/// `Error` where it cannot be read or is damaged.
ShardFolder::Shard readShard(const std::filesystem::path& tar);

/// Each file whole or not at all. Throws `Error`.
void writeShardIndexes(const std::filesystem::path& folder, const ShardFolder& shards);

/// Where a folder of shards says what of them is excluded.
inline constexpr const char* kExcludedFile = ".nv-meta/split.yaml";

/// What split.yaml excludes of the shards in a folder; nothing where there is none. Throws `InputError` for
/// one that is not in JSON, of which YAML is an extension, as `writeShardIndexes` leaves it.
std::set<std::string> excludedSamples(const std::filesystem::path& folder);
/// The same of its text; `file` for messages.
std::set<std::string> excludedIn(const std::string& text, const std::string& file);

}  // namespace dailies::trainer
