#pragma once

#include "core/curation/curation_job.h"
#include "remote/launch/dataset_file.h"

#include <string>
#include <string_view>

namespace dailies::remote {

/// Films of a cluster that are to become clips: what a file like this says
/// (resources/examples/curate-films.yaml):
///
///     name: harbour
///     films: [/data/films]               # files and folders of the cluster, or s3://bucket/folder/
///     out: /data/sets/harbour
///     write_clips: true                  # what is kept, as H.264 files
///     write_previews: true               # small copies of all clips, to look at them elsewhere
///     cuts: {max_seconds: 20}            # rules, as of dailies-train curate --config; none: OUT's own
///     verdict: {min_side: 360}
///     tasks: 4                           # of the job array that share the films
///     resources: {cpus_per_rank: 8, time_limit: "12:00:00"}
struct CurationRequest : DatasetRequest {
    curation::CurationJob job;  ///< without what the launch adds: threads, and what the tasks have in common
};

/// Throws `InputError` naming `source`, the line, the key, what was found and what would be accepted.
CurationRequest parseCurationFile(std::string_view text, const std::string& source);

/// Whether the request makes sense; throws `InputError` as `parseCurationFile` does, without the place.
void throwIfInvalid(const CurationRequest& request);

}  // namespace dailies::remote
