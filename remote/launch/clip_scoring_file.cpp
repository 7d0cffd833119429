#include "remote/launch/clip_scoring_file.h"

#include "core/config/job_keys.h"
#include "core/sweep/resources.h"

#include <algorithm>
#include <filesystem>

namespace dailies::remote {

namespace {

/// "name" is the job's, as in all files of this kind.
constexpr const char* kScoreNameKey = "score_name";

}  // namespace

ClipScoringRequest parseClipScoringFile(std::string_view text, const std::string& source) {
    ClipScoringRequest request;
    Json job = Json::object();
    auto keys = curation::clipScoringKeys();
    std::ranges::replace(keys, "name", kScoreNameKey);
    readDatasetFile(text, source, request,
                    {.what = "the scoring of clips",
                     .keys = keys,
                     .read =
                         [&](const auto& yaml, const auto& key, const auto& node) {
                             job[key == kScoreNameKey ? "name" : key] = yaml.anyValue(node, key);
                         },
                     .finish =
                         [&] {
                             request.resources = sweep::ofOneProcess(request.resources);
                             request.job = curation::parseClipScoringJob(job);
                             const auto folder = std::filesystem::path(source).parent_path();
                             request.job.scorer = (folder / request.job.scorer).string();
                             throwIfInvalid(request);
                         }});
    return request;
}

void throwIfInvalid(const ClipScoringRequest& request) {
    throwIfInvalid(static_cast<const DatasetRequest&>(request));
    curation::throwIfInvalid(request.job);
    config::job::requireClusterPath("folder", request.job.folder);
}

}  // namespace dailies::remote
