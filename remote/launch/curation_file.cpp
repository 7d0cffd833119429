#include "remote/launch/curation_file.h"

#include "core/sweep/job_yaml.h"
#include "core/sweep/resources.h"

namespace dailies::remote {

namespace {

/// `rules`: "cuts", "duplicates" and "verdict", as they stand.
void readKey(curation::CurationJob& job, Json& rules, const sweep::YamlReader& yaml, const std::string& key,
             const YAML::Node& node) {
    if (key == "films" && node.IsSequence())
        for (const auto& film : node) job.films.push_back(yaml.text(film, key));
    else if (key == "films")
        job.films.push_back(yaml.text(node, key));
    else if (key == "out")
        job.out = yaml.text(node, key);
    else if (key == "write_clips")
        job.writeClips = sweep::readFlag(yaml, node, key);
    else if (key == "write_previews")
        job.writePreviews = sweep::readFlag(yaml, node, key);
    else
        rules[key] = yaml.anyValue(node, key);
}

}  // namespace

CurationRequest parseCurationFile(std::string_view text, const std::string& source) {
    CurationRequest request;
    Json rules = Json::object();
    readDatasetFile(
        text, source, request,
        {.what = "the curation",
         .keys = {"films", "out", "write_clips", "write_previews", "cuts", "duplicates", "verdict"},
         .read = [&](const auto& yaml, const auto& key,
                     const auto& node) { readKey(request.job, rules, yaml, key, node); },
         .finish =
             [&] {
                 request.resources = sweep::ofOneProcess(request.resources);
                 if (!rules.empty()) request.job.config = curation::parseCurationConfig(rules);
                 throwIfInvalid(request);
             }});
    return request;
}

void throwIfInvalid(const CurationRequest& request) {
    throwIfInvalid(static_cast<const DatasetRequest&>(request));
    curation::throwIfInvalid(request.job);
}

}  // namespace dailies::remote
