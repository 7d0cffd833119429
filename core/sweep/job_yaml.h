#pragma once

#include "core/sweep/sweep.h"
#include "core/sweep/yaml_reader.h"

#include <string>
#include <vector>

namespace dailies::sweep {

// The parts of a sweep file that say how its jobs are run. Mistakes are refused as `YamlReader` does.

Resources readResources(const YamlReader& yaml, const YAML::Node& node);
bool isResourceKey(const std::string& key);
/// What it says beside `base`, for `overlaid`.
Json readResourceKeys(const YamlReader& yaml, const YAML::Node& node, const Resources& base);
Environment readEnvironment(const YamlReader& yaml, const YAML::Node& node);
SweepDependency readDependency(const YamlReader& yaml, const YAML::Node& node);

/// "config_file: examples/wan.toml", or {path, text} of a sweep that was recorded.
ConfigFile readConfigFile(const YamlReader& yaml, const YAML::Node& node);

/// "resume: diffusers", or a mapping whose keys stand over those of its preset.
Resume readResume(const YamlReader& yaml, const YAML::Node& node);

/// {command: [WORDS], checkpoints: PATTERN, resources: {…}}.
CheckpointSampling readCheckpointSampling(const YamlReader& yaml, const YAML::Node& node);

/// The words of a command or of arguments; `example`: of such a list.
std::vector<std::string> readWords(const YamlReader& yaml, const YAML::Node& node, const std::string& key,
                                   const std::string& example);

/// "sources: {output: REGEX, clips: PATTERN}"; clips may be a list.
rules::SourceRules readSources(const YamlReader& yaml, const YAML::Node& node);

/// A whole number of `least` or more.
int readCount(const YamlReader& yaml, const YAML::Node& node, const std::string& key, int least);

bool readFlag(const YamlReader& yaml, const YAML::Node& node, const std::string& key);

/// "partitoin: no such key; did you mean partition?"
[[noreturn]] void refuseUnknown(const YamlReader& yaml, const YAML::Node& node, const std::string& where,
                                const std::string& key, const std::vector<std::string>& known);

}  // namespace dailies::sweep
