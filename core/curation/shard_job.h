#pragma once

#include "core/base/json.h"

#include <string>

namespace dailies::curation {

/// What a cluster's job does that packs the clips of a curated folder into shards (`dailies-train shard
/// --job`): the config.json of its run.
struct ShardJob {
    std::string folder;  ///< that `curate` wrote; absolute
    std::string out;     ///< of the shards; absolute
    int sizeMib = 1024;  ///< of a shard, unless one clip takes more
    int threads = 1;     ///< films that clips are encoded of at once
};

/// Throws `InputError` that names the key, what was found and what would be accepted.
ShardJob parseShardJob(const Json& json);
Json toJson(const ShardJob& job);

/// Whether the words make sense; throws `InputError` as `parseShardJob` does.
void throwIfInvalid(const ShardJob& job);

}  // namespace dailies::curation
