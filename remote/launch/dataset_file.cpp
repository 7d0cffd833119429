#include "remote/launch/dataset_file.h"

#include "core/base/error.h"
#include "core/sweep/job_yaml.h"
#include "core/sweep/resources.h"

#include <algorithm>

namespace dailies::remote {

void readDatasetFile(std::string_view text, const std::string& source, DatasetRequest& request,
                     const DatasetFileKeys& file) {
    const sweep::YamlReader yaml(source);
    const auto root = yaml.load(text);
    bool limitsParallel = false;
    for (const auto& [key, node] : yaml.mapping(root, file.what)) {
        if (key == "name")
            request.name = yaml.text(node, key);
        else if (key == "experiment")
            request.experiment = yaml.text(node, key);
        else if (key == "tasks" && file.hasTasks)
            request.tasks = sweep::readCount(yaml, node, key, 1);
        else if (key == "resources") {
            request.resources = sweep::readResources(yaml, node);
            limitsParallel = node["parallel_runs"].IsDefined();
        } else if (key == "environment")
            request.environment = sweep::readEnvironment(yaml, node);
        else if (std::ranges::find(file.keys, key) != file.keys.end())
            file.read(yaml, key, node);
        else {
            auto known = file.keys;
            known.insert(known.end(), {"name", "experiment", "resources", "environment"});
            if (file.hasTasks) known.emplace_back("tasks");
            sweep::refuseUnknown(yaml, node, "", key, known);
        }
    }
    if (!limitsParallel) request.resources.parallelRuns = request.tasks;
    try {
        file.finish();
    } catch (const InputError& error) {
        yaml.refuse(root, error.full());
    }
}

void throwIfInvalid(const DatasetRequest& request) {
    if (const auto problem = sweep::validationError(request.resources)) throw InputError(*problem);
    if (request.name.empty()) throw InputError("name: found none, expected what the job is called.");
}

}  // namespace dailies::remote
