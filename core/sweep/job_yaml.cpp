#include "core/sweep/job_yaml.h"

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/base/text.h"
#include "core/sweep/config_file.h"
#include "core/sweep/resources.h"

#include <algorithm>
#include <limits>

namespace dailies::sweep {

namespace {

constexpr const char* kGpusPerNode = "gpus_per_node";

std::vector<std::string> resourceKeys() {
    std::vector<std::string> keys;
    for (const auto& [key, field] : resourceFields()) keys.push_back(key);
    return keys;
}

/// "8", or with a type as Slurm has it, "h100:8".
void readGpus(const YamlReader& yaml, const YAML::Node& node, const std::string& key, Json& resources) {
    const std::string text = yaml.text(node, key);
    const auto colon = text.find(':');
    if (colon == std::string::npos) {
        resources[kGpusPerNode] = readCount(yaml, node, key, 0);
        return;
    }
    const auto count = parseAs<int>(std::string_view(text).substr(colon + 1));
    if (!count || *count < 0) yaml.refuse(node, key, "a whole number, or a type and a number such as h100:8");
    resources[kGpusPerNode] = *count;
    resources["gpu_type"] = text.substr(0, colon);
}

void readResource(const YamlReader& yaml, const YAML::Node& node, const std::string& key, Json& keys) {
    const auto found =
        std::ranges::find(resourceFields(), key, [](const auto& field) { return field.first; });
    const std::string where = "resources." + key;
    if (found == resourceFields().end()) refuseUnknown(yaml, node, "resources.", key, resourceKeys());
    if (key == kGpusPerNode)
        readGpus(yaml, node, where, keys);
    else if (std::holds_alternative<std::string Resources::*>(found->second))
        keys[key] = yaml.text(node, where);
    else if (std::holds_alternative<int Resources::*>(found->second))
        keys[key] = readCount(yaml, node, where, 1);
    else
        keys[key] = readFlag(yaml, node, where);
}

/// Text of variables stays as it was typed: 010 is no eight.
Json toJson(const YamlReader& yaml, const YAML::Node& node, const std::string& key) {
    if (node.IsScalar()) return node.Scalar();
    Json json;
    if (node.IsSequence()) {
        json = Json::array();
        for (const auto& item : node) json.push_back(toJson(yaml, item, key));
    } else if (node.IsMap()) {
        json = Json::object();
        for (const auto& [name, value] : yaml.mapping(node, key)) json[name] = toJson(yaml, value, key);
    }
    return json;
}

const std::vector<std::string> kResumeKeys = {"preset", "arguments", "checkpoints",
                                              "always", "stop",      "requeues_itself"};
const std::vector<std::string> kStopKeys = {"signal", "file", "lead"};
/// Those by which programs are asked to end; the others end, stop or debug one.
const std::vector<std::string> kSignals = {"USR1", "USR2", "TERM", "INT", "HUP"};

/// In a job's script a line feed would end the line.
std::string readPattern(const YamlReader& yaml, const YAML::Node& node, const std::string& key) {
    const std::string pattern = yaml.text(node, key);
    if (pattern.find_first_of("\n\r") != std::string::npos)
        yaml.refuse(node, key, "a path or pattern of one line, such as checkpoint-*");
    return pattern;
}

StopRequest readStop(const YamlReader& yaml, const YAML::Node& node) {
    using Way = StopRequest::Way;
    const std::string expected = "{signal: USR1}, {file: save_quit} or none";
    StopRequest stop;
    if (node.IsScalar() && node.Scalar() == "none") return stop;
    if (!node.IsMap()) yaml.refuse(node, "resume.stop", expected);
    for (const auto& [key, value] : yaml.mapping(node, "resume.stop")) {
        const std::string where = "resume.stop." + key;
        if (key == "lead") {
            stop.lead = readCount(yaml, value, where, 1);
            continue;
        }
        if (key != "signal" && key != "file") refuseUnknown(yaml, value, "resume.stop.", key, kStopKeys);
        if (stop.way != Way::None) yaml.refuse(node, "resume.stop", expected);
        if (key == "signal") {
            stop.way = Way::Signal;
            stop.what = yaml.text(value, where);
            if (stop.what.starts_with("SIG")) stop.what.erase(0, 3);
            if (std::ranges::find(kSignals, stop.what) == kSignals.end())
                yaml.refuse(value, where, "one of: " + join(kSignals, ", "));
        } else {
            stop.way = Way::File;
            stop.what = readPattern(yaml, value, where);
            const std::string name = stop.what.substr(stop.what.rfind('/') + 1);
            if (name.empty() || name == "." || name == ".." ||
                name.find_first_of("*?[\\") != std::string::npos)
                yaml.refuse(value, where,
                            "a file's name, before which folders may be a pattern: */save_quit");
        }
    }
    if (stop.way == Way::None) yaml.refuse(node, "resume.stop", expected);
    return stop;
}

Resume resumePreset(const YamlReader& yaml, const YAML::Node& node, const std::string& key) {
    const std::string name = yaml.text(node, key);
    std::vector<std::string> names;
    for (const Resume& preset : resumePresets()) {
        if (preset.preset == name) return preset;
        names.push_back(preset.preset);
    }
    yaml.refuse(node, key, "one of: " + join(names, ", "));
}

}  // namespace

int readCount(const YamlReader& yaml, const YAML::Node& node, const std::string& key, int least) {
    const auto count = yaml.wholeNumber(node, key);
    if (count < least || count > std::numeric_limits<int>::max())
        yaml.refuse(node, key, "a whole number of " + std::to_string(least) + " or more");
    return static_cast<int>(count);
}

bool readFlag(const YamlReader& yaml, const YAML::Node& node, const std::string& key) {
    const Json flag = node.IsScalar() ? parseScalar(node.Scalar()) : Json();
    if (!flag.is_boolean()) yaml.refuse(node, key, "true or false");
    return flag.get<bool>();
}

void refuseUnknown(const YamlReader& yaml, const YAML::Node& node, const std::string& where,
                   const std::string& key, const std::vector<std::string>& known) {
    const auto suggestion = nearestWord(key, known);
    yaml.refuse(node, where + sanitizedText(key) + ": no such key; " +
                          (suggestion.empty() ? "expected one of: " + join(known, ", ") + "."
                                              : "did you mean " + suggestion + "?"));
}

bool isResourceKey(const std::string& key) {
    return std::ranges::any_of(resourceFields(), [&](const auto& field) { return field.first == key; });
}

Json readResourceKeys(const YamlReader& yaml, const YAML::Node& node, const Resources& base) {
    Json keys = Json::object();
    for (const auto& [key, value] : yaml.mapping(node, "resources")) {
        readResource(yaml, value, key, keys);
        Resources soFar = overlaid(base, keys);
        if (soFar.gpusPerNode == 0) soFar.gpuType.clear();  // their number may stand on a later line
        if (const auto problem = validationError(soFar)) yaml.refuse(value, "resources." + *problem);
    }
    if (const auto problem = validationError(overlaid(base, keys)))
        yaml.refuse(node, "resources." + *problem);
    return keys;
}

Resources readResources(const YamlReader& yaml, const YAML::Node& node) {
    return overlaid({}, readResourceKeys(yaml, node, {}));
}

Environment readEnvironment(const YamlReader& yaml, const YAML::Node& node) {
    Environment environment;
    for (const auto& [key, value] : yaml.mapping(node, "environment")) {
        try {
            setKey(environment, key, toJson(yaml, value, "environment." + key));
        } catch (const InputError& error) {
            yaml.refuse(value, "environment." + error.full());
        }
    }
    return environment;
}

SweepDependency readDependency(const YamlReader& yaml, const YAML::Node& node) {
    SweepDependency after;
    if (node.IsScalar()) {
        after.sweep = trim(node.Scalar());
        if (after.sweep.empty()) yaml.refuse(node, "after: found nothing, expected a sweep's name or id.");
        return after;
    }
    for (const auto& [key, value] : yaml.mapping(node, "after")) {
        const std::string where = "after." + key;
        if (key == "sweep") {
            after.sweep = trim(yaml.text(value, where));
        } else if (key == "when") {
            const std::string when = yaml.text(value, where);
            if (when != "finished" && when != "ended")
                yaml.refuse(value, where,
                            "finished (every run of it did) or ended (whatever became of its runs)");
            after.afterAny = when == "ended";
        } else if (key == "from_checkpoint") {
            after.fromCheckpoint = readFlag(yaml, value, where);
        } else if (key == "init_from") {
            if (yaml.text(value, where) != "best")
                yaml.refuse(value, where, "best (the run that is best by that sweep's metric)");
            after.initFromBest = true;
        } else {
            refuseUnknown(yaml, value, "after.", key, {"sweep", "when", "from_checkpoint", "init_from"});
        }
    }
    return after;
}

ConfigFile readConfigFile(const YamlReader& yaml, const YAML::Node& node) {
    ConfigFile file;
    if (node.IsScalar()) {
        file.path = trim(node.Scalar());
    } else {
        for (const auto& [key, value] : yaml.mapping(node, "config_file")) {
            if (key == "path")
                file.path = trim(yaml.text(value, "config_file.path"));
            else if (key == "text")
                file.text = yaml.text(value, "config_file.text");
            else
                refuseUnknown(yaml, value, "config_file.", key, {"path", "text"});
        }
    }
    if (const auto problem = configFileProblem(file); !problem.empty()) yaml.refuse(node, problem);
    return file;
}

CheckpointSampling readCheckpointSampling(const YamlReader& yaml, const YAML::Node& node) {
    CheckpointSampling sampling;
    for (const auto& [key, value] : yaml.mapping(node, "sample_checkpoints")) {
        const std::string where = "sample_checkpoints." + key;
        if (key == "command")
            sampling.command =
                readWords(yaml, value, where, "[python, generate.py, \"--lora=${checkpoint}\"]");
        else if (key == "checkpoints")
            sampling.checkpoints = readPattern(yaml, value, where);
        else if (key == "resources")
            sampling.resources = readResources(yaml, value);
        else
            refuseUnknown(yaml, value, "sample_checkpoints.", key, {"command", "checkpoints", "resources"});
    }
    return sampling;
}

std::vector<std::string> readWords(const YamlReader& yaml, const YAML::Node& node, const std::string& key,
                                   const std::string& example) {
    const auto expected = "a list of words, such as " + example;
    if (!node.IsSequence()) yaml.refuse(node, key, expected);
    std::vector<std::string> words;
    for (const auto& word : node) {
        if (!word.IsScalar()) yaml.refuse(word, key, expected);
        words.push_back(word.Scalar());
    }
    return words;
}

Resume readResume(const YamlReader& yaml, const YAML::Node& node) {
    if (node.IsScalar()) return resumePreset(yaml, node, "resume");
    const auto entries = yaml.mapping(node, "resume");
    Resume resume;
    for (const auto& [key, value] : entries)
        if (key == "preset") resume = resumePreset(yaml, value, "resume.preset");
    for (const auto& [key, value] : entries) {
        const std::string where = "resume." + key;
        if (key == "preset") {
            continue;  // read before all others, which stand over it
        } else if (key == "arguments") {
            resume.arguments = readWords(yaml, value, where, "[--resume_from_checkpoint=latest]");
        } else if (key == "checkpoints") {
            resume.checkpoints = readPattern(yaml, value, where);
        } else if (key == "always") {
            resume.always = readFlag(yaml, value, where);
        } else if (key == "stop") {
            resume.stop = readStop(yaml, value);
        } else if (key == "requeues_itself") {
            resume.requeuesItself = readFlag(yaml, value, where);
        } else {
            refuseUnknown(yaml, value, "resume.", key, kResumeKeys);
        }
    }
    if (resume == Resume{})
        yaml.refuse(node, "resume: found nothing, expected a preset, or arguments and checkpoints.");
    return resume;
}

rules::SourceRules readSources(const YamlReader& yaml, const YAML::Node& node) {
    rules::SourceRules sources;
    const auto checked = [&](const YAML::Node& at, const rules::SourceRules& rule) {
        try {
            rules::check(rule);
        } catch (const InputError& error) {
            yaml.refuse(at, "sources." + error.full());
        }
    };
    for (const auto& [key, value] : yaml.mapping(node, "sources")) {
        const std::string where = "sources." + key;
        if (key == "output") {
            sources.output = yaml.text(value, where);
            if (sources.output.empty()) yaml.refuse(value, where, "a regular expression");
            checked(value, {.output = sources.output});
        } else if (key == "clips" && value.IsSequence()) {
            for (const auto& pattern : value) {
                sources.clips.push_back(yaml.text(pattern, where));
                checked(pattern, {.clips = {sources.clips.back()}});
            }
            checked(value, {.clips = sources.clips});
        } else if (key == "clips") {
            sources.clips = {yaml.text(value, where)};
            checked(value, {.clips = sources.clips});
        } else {
            refuseUnknown(yaml, value, "sources.", key, {"output", "clips"});
        }
    }
    if (sources.isEmpty()) yaml.refuse(node, "sources: found nothing, expected output, clips or both.");
    return sources;
}

}  // namespace dailies::sweep
