#include "remote/launch/shard_file.h"

#include "core/sweep/job_yaml.h"
#include "core/sweep/resources.h"

namespace dailies::remote {

ShardRequest parseShardFile(std::string_view text, const std::string& source) {
    ShardRequest request;
    readDatasetFile(text, source, request,
                    {.what = "the shards",
                     .keys = {"folder", "out", "size_mib"},
                     .hasTasks = false,
                     .read =
                         [&](const auto& yaml, const auto& key, const auto& node) {
                             if (key == "size_mib")
                                 request.job.sizeMib = sweep::readCount(yaml, node, key, 1);
                             else
                                 (key == "folder" ? request.job.folder : request.job.out) =
                                     yaml.text(node, key);
                         },
                     .finish =
                         [&] {
                             request.resources = sweep::ofOneProcess(request.resources);
                             throwIfInvalid(request);
                         }});
    return request;
}

void throwIfInvalid(const ShardRequest& request) {
    throwIfInvalid(static_cast<const DatasetRequest&>(request));
    curation::throwIfInvalid(request.job);
}

}  // namespace dailies::remote
