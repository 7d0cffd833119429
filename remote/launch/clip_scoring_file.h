#pragma once

#include "core/curation/clip_scoring_job.h"
#include "remote/launch/dataset_file.h"

#include <string>
#include <string_view>

namespace dailies::remote {

/// The clips of a curated folder of a cluster, given to a scorer: what a file like this says
/// (resources/examples/score-clips.yaml):
///
///     name: harbour aesthetics
///     folder: /data/sets/harbour         # that dailies curate wrote
///     scorer: aesthetic.pt               # on this machine, beside the file
///     tasks: 2                           # of the job array that share the clips
///     resources: {gpus_per_node: 1, cpus_per_rank: 8, time_limit: "4:00:00"}
///
/// and perhaps `frames` and `max_side` (`curation::ClipScoringJob`), and `score_name` for what the scorer's
/// numbers are called, by default as its file.
struct ClipScoringRequest : DatasetRequest {
    curation::ClipScoringJob job;  ///< `scorer`: on this machine. Without what the launch adds
};

/// `source`: the file's path; a scorer's path that is not absolute begins in its folder. Throws `InputError`
/// naming `source`, the line, the key, what was found and what would be accepted.
ClipScoringRequest parseClipScoringFile(std::string_view text, const std::string& source);

/// Whether the request makes sense; throws `InputError` as `parseClipScoringFile` does, without the place.
void throwIfInvalid(const ClipScoringRequest& request);

}  // namespace dailies::remote
