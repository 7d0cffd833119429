#pragma once

#include "core/curation/shard_job.h"
#include "remote/launch/dataset_file.h"

#include <string>
#include <string_view>

namespace dailies::remote {

/// A curated folder of a cluster that is to be packed into WebDataset shards: what a file like this says
/// (resources/examples/shard-clips.yaml):
///
///     name: harbour shards
///     folder: /data/sets/harbour         # that dailies curate wrote
///     out: /data/shards/harbour
///     size_mib: 2048                     # of a shard
///     resources: {cpus_per_rank: 8, time_limit: "12:00:00"}
struct ShardRequest : DatasetRequest {
    curation::ShardJob job;  ///< without what the launch adds: threads
};

/// Throws `InputError` naming `source`, the line, the key, what was found and what would be accepted.
ShardRequest parseShardFile(std::string_view text, const std::string& source);

/// Whether the request makes sense; throws `InputError` as `parseShardFile` does, without the place.
void throwIfInvalid(const ShardRequest& request);

}  // namespace dailies::remote
