#include "remote/launch/caption_file.h"

#include "core/base/error.h"
#include "core/config/job_keys.h"
#include "core/sweep/job_yaml.h"
#include "core/sweep/resources.h"
#include "core/sweep/yaml_reader.h"

#include <algorithm>
#include <array>

namespace dailies::remote {

namespace {

/// Of the job, as they stand.
constexpr std::array kJobKeys = {"folder",   "server",     "serve",       "model",    "prompt", "frames",
                                 "max_side", "max_tokens", "temperature", "parallel", "again"};

std::vector<std::string> fileKeys() {
    std::vector<std::string> keys = {"name", "experiment", "tasks", "resources", "environment"};
    keys.insert(keys.end(), kJobKeys.begin(), kJobKeys.end());
    return keys;
}

}  // namespace

CaptionRequest parseCaptionFile(std::string_view text, const std::string& source) {
    const sweep::YamlReader yaml(source);
    const auto root = yaml.load(text);
    CaptionRequest request;
    Json job = Json::object();
    bool limitsParallel = false;
    for (const auto& [key, node] : yaml.mapping(root, "the captions")) {
        if (key == "name")
            request.name = yaml.text(node, key);
        else if (key == "experiment")
            request.experiment = yaml.text(node, key);
        else if (std::ranges::find(kJobKeys, key) != kJobKeys.end())
            job[key] = yaml.anyValue(node, key);
        else if (key == "tasks")
            request.tasks = sweep::readCount(yaml, node, key, 1);
        else if (key == "resources") {
            request.resources = sweep::readResources(yaml, node);
            limitsParallel = node["parallel_runs"].IsDefined();
        } else if (key == "environment")
            request.environment = sweep::readEnvironment(yaml, node);
        else
            sweep::refuseUnknown(yaml, node, "", key, fileKeys());
    }
    // one process a task, but all GPUs that it is given: a large model takes several
    request.resources.nodes = request.resources.ranksPerNode = 1;
    if (!limitsParallel) request.resources.parallelRuns = request.tasks;
    try {
        request.job = captioning::parseCaptionJob(job);
        throwIfInvalid(request);
    } catch (const InputError& error) {
        yaml.refuse(root, error.full());
    }
    return request;
}

void throwIfInvalid(const CaptionRequest& request) {
    if (const auto problem = sweep::validationError(request.resources)) throw InputError(*problem);
    if (request.name.empty()) throw InputError("name: found none, expected what the job is called.");
    captioning::throwIfInvalid(request.job);
    if (!request.job.folder.starts_with('/'))
        config::job::refuse("folder", config::job::inQuotes(request.job.folder),
                            "an absolute path of the cluster");
}

}  // namespace dailies::remote
