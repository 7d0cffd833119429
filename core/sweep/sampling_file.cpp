#include "core/sweep/sampling_file.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/prompt_files.h"
#include "core/sweep/job_yaml.h"

#include <algorithm>
#include <iterator>

namespace dailies::sweep {

namespace {

std::vector<std::string> keysOfFile() {
    std::vector<std::string> keys = {"name", "prompts", "negative_prompt"};
    for (const auto& files : config::kPromptFiles) keys.emplace_back(files.key);
    for (const auto* key :
         {"seeds", "guidance", "steps", "strength", "frames", "overlap", "blend", "resources"})
        keys.emplace_back(key);
    return keys;
}

/// A list, or one value alone.
std::vector<YAML::Node> items(const YAML::Node& node) {
    if (!node.IsSequence()) return {node};
    return {node.begin(), node.end()};
}

std::vector<std::string> texts(const YamlReader& yaml, const YAML::Node& node, const std::string& key) {
    std::vector<std::string> all;
    for (const auto& item : items(node)) all.push_back(yaml.text(item, key));
    return all;
}

/// A list of numbers, or a text as the command line takes it: 0..3.
template <typename Parse>
auto numbers(const YamlReader& yaml, const YAML::Node& node, const std::string& key, Parse parse) {
    try {
        return parse(join(texts(yaml, node, key), ","), key);
    } catch (const InputError& error) {
        yaml.refuse(node, error.full());
    }
}

}  // namespace

SamplingFile parseSamplingFile(std::string_view text, const std::string& source) {
    const YamlReader yaml(source);
    const auto root = yaml.load(text);
    SamplingFile file;
    auto& job = file.job;
    for (const auto& [key, node] : yaml.mapping(root, "the sampling")) {
        if (key == "name")
            file.name = yaml.text(node, key);
        else if (key == "prompts")
            job.prompts = texts(yaml, node, key);
        else if (key == "negative_prompt")
            job.negative_prompt = yaml.text(node, key);
        else if (const auto files = std::ranges::find(config::kPromptFiles, key, &config::PromptFiles::key);
                 files != std::end(config::kPromptFiles))
            job.*files->ofJob = texts(yaml, node, key);
        else if (key == "seeds")
            job.seeds = numbers(yaml, node, key, config::parseWholeNumbers);
        else if (key == "guidance")
            job.guidance = numbers(yaml, node, key, config::parseNumbers);
        else if (key == "steps")
            job.steps = numbers(yaml, node, key, config::parseWholeNumbers);
        else if (key == "strength")
            job.strength = numbers(yaml, node, key, config::parseNumbers);
        else if (key == "frames")
            job.frames = readCount(yaml, node, key, 0);
        else if (key == "overlap")
            job.overlap = readCount(yaml, node, key, 0);
        else if (key == "blend")
            job.blend = yaml.text(node, key);
        else if (key == "resources")
            file.resources = readResources(yaml, node);
        else
            refuseUnknown(yaml, node, "", key, keysOfFile());
    }
    try {
        config::throwIfInvalid(job);
    } catch (const InputError& error) {
        yaml.refuse(root, error.full());
    }
    return file;
}

}  // namespace dailies::sweep
