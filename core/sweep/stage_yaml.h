#pragma once

#include "core/sweep/sweep.h"
#include "core/sweep/yaml_reader.h"

#include <string>

namespace dailies::sweep {

/// "{name: 512px, config: {steps: 1600}, resources: {nodes: 8}}". `name`: where it has none. `resources`: of
/// the sweep. Mistakes are refused as `YamlReader` does.
Stage readStage(const YamlReader& yaml, const YAML::Node& node, const std::string& name,
                const Resources& resources);

/// What of a stage is another than the sweep's, in one line, as YAML without its braces: "steps: 1600,
/// data.height: 512, nodes: 8".
std::string changesText(const Stage& stage);

/// The stage that such a line is the changes of. Throws `InputError`.
Stage stageFromChanges(const std::string& name, const std::string& changes, const Resources& resources);

}  // namespace dailies::sweep
