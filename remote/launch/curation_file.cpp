#include "remote/launch/curation_file.h"

#include "core/base/error.h"
#include "core/sweep/job_yaml.h"
#include "core/sweep/resources.h"
#include "core/sweep/yaml_reader.h"

#include <algorithm>
#include <array>

namespace dailies::remote {

namespace {

constexpr std::array kRules = {"cuts", "duplicates", "verdict"};

const std::vector<std::string> kFileKeys = {"name",           "experiment",  "films",     "out",
                                            "write_previews", "write_clips", "cuts",      "duplicates",
                                            "verdict",        "tasks",       "resources", "environment"};

}  // namespace

CurationRequest parseCurationFile(std::string_view text, const std::string& source) {
    const sweep::YamlReader yaml(source);
    const auto root = yaml.load(text);
    CurationRequest request;
    Json rules = Json::object();
    bool limitsParallel = false;
    for (const auto& [key, node] : yaml.mapping(root, "the curation")) {
        if (key == "name")
            request.name = yaml.text(node, key);
        else if (key == "experiment")
            request.experiment = yaml.text(node, key);
        else if (key == "films" && node.IsSequence())
            for (const auto& film : node) request.job.films.push_back(yaml.text(film, key));
        else if (key == "films")
            request.job.films.push_back(yaml.text(node, key));
        else if (key == "out")
            request.job.out = yaml.text(node, key);
        else if (key == "write_clips")
            request.job.writeClips = sweep::readFlag(yaml, node, key);
        else if (key == "write_previews")
            request.job.writePreviews = sweep::readFlag(yaml, node, key);
        else if (std::ranges::find(kRules, key) != kRules.end())
            rules[key] = yaml.anyValue(node, key);
        else if (key == "tasks")
            request.tasks = sweep::readCount(yaml, node, key, 1);
        else if (key == "resources") {
            request.resources = sweep::readResources(yaml, node);
            limitsParallel = node["parallel_runs"].IsDefined();
        } else if (key == "environment")
            request.environment = sweep::readEnvironment(yaml, node);
        else
            sweep::refuseUnknown(yaml, node, "", key, kFileKeys);
    }
    request.resources = sweep::ofOneProcess(std::move(request.resources));
    if (!limitsParallel) request.resources.parallelRuns = request.tasks;
    try {
        if (!rules.empty()) request.job.config = curation::parseCurationConfig(rules);
        throwIfInvalid(request);
    } catch (const InputError& error) {
        yaml.refuse(root, error.full());
    }
    return request;
}

void throwIfInvalid(const CurationRequest& request) {
    if (const auto problem = sweep::validationError(request.resources)) throw InputError(*problem);
    if (request.name.empty()) throw InputError("name: found none, expected what the job is called.");
    curation::throwIfInvalid(request.job);
}

}  // namespace dailies::remote
