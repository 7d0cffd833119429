#include "remote/launch/caption_file.h"

#include "core/config/job_keys.h"

namespace dailies::remote {

CaptionRequest parseCaptionFile(std::string_view text, const std::string& source) {
    CaptionRequest request;
    Json job = Json::object();
    readDatasetFile(text, source, request,
                    {.what = "the captions",
                     .keys = captioning::captionKeys(),
                     .read = [&](const auto& yaml, const auto& key,
                                 const auto& node) { job[key] = yaml.anyValue(node, key); },
                     .finish =
                         [&] {
                             // one process a task, but all GPUs that it is given: a large model takes several
                             request.resources.nodes = request.resources.ranksPerNode = 1;
                             request.job = captioning::parseCaptionJob(job);
                             throwIfInvalid(request);
                         }});
    return request;
}

void throwIfInvalid(const CaptionRequest& request) {
    throwIfInvalid(static_cast<const DatasetRequest&>(request));
    captioning::throwIfInvalid(request.job);
    config::job::requireClusterPath("folder", request.job.folder);
}

}  // namespace dailies::remote
