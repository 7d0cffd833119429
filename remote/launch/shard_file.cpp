#include "remote/launch/shard_file.h"

#include "core/base/error.h"
#include "core/sweep/job_yaml.h"
#include "core/sweep/resources.h"
#include "core/sweep/yaml_reader.h"

namespace dailies::remote {

ShardRequest parseShardFile(std::string_view text, const std::string& source) {
    const sweep::YamlReader yaml(source);
    const auto root = yaml.load(text);
    ShardRequest request;
    for (const auto& [key, node] : yaml.mapping(root, "the shards")) {
        if (key == "name")
            request.name = yaml.text(node, key);
        else if (key == "experiment")
            request.experiment = yaml.text(node, key);
        else if (key == "folder")
            request.job.folder = yaml.text(node, key);
        else if (key == "out")
            request.job.out = yaml.text(node, key);
        else if (key == "size_mib")
            request.job.sizeMib = sweep::readCount(yaml, node, key, 1);
        else if (key == "resources")
            request.resources = sweep::readResources(yaml, node);
        else if (key == "environment")
            request.environment = sweep::readEnvironment(yaml, node);
        else
            sweep::refuseUnknown(
                yaml, node, "", key,
                {"name", "experiment", "folder", "out", "size_mib", "resources", "environment"});
    }
    request.resources = sweep::ofOneProcess(std::move(request.resources));
    try {
        throwIfInvalid(request);
    } catch (const InputError& error) {
        yaml.refuse(root, error.full());
    }
    return request;
}

void throwIfInvalid(const ShardRequest& request) {
    if (const auto problem = sweep::validationError(request.resources)) throw InputError(*problem);
    if (request.name.empty()) throw InputError("name: found none, expected what the job is called.");
    curation::throwIfInvalid(request.job);
}

}  // namespace dailies::remote
