#pragma once

#include "core/captioning/caption_job.h"
#include "remote/launch/dataset_file.h"

#include <string>
#include <string_view>

namespace dailies::remote {

/// Captions for a curated folder of a cluster: what a file like this says
/// (resources/examples/caption-clips.yaml):
///
///     name: harbour captions
///     folder: /data/sets/harbour         # that dailies curate wrote
///     serve: vllm serve Qwen/Qwen2.5-VL-7B-Instruct --port ${port}   # on each task's node
///     prompt: Describe this video in two sentences.
///     tasks: 2                           # of the job array that share the clips
///     resources: {gpus_per_node: 1, time_limit: "12:00:00"}
///
/// with `server` instead of `serve` for one that runs, and further `model`, `frames`, `max_side`,
/// `max_tokens`, `temperature`, `parallel` and `again` (`captioning::CaptionJob`).
struct CaptionRequest : DatasetRequest {
    captioning::CaptionJob job;  ///< without what the tasks have in common
};

/// Throws `InputError` naming `source`, the line, the key, what was found and what would be accepted.
CaptionRequest parseCaptionFile(std::string_view text, const std::string& source);

/// Whether the request makes sense; throws `InputError` as `parseCaptionFile` does, without the place.
void throwIfInvalid(const CaptionRequest& request);

}  // namespace dailies::remote
