#include "core/sweep/stage_yaml.h"

#include "core/base/text.h"
#include "core/sweep/job_yaml.h"
#include "core/sweep/yaml_writer.h"

#include <cstddef>

namespace dailies::sweep {

Stage readStage(const YamlReader& yaml, const YAML::Node& node, const std::string& name,
                const Resources& resources) {
    Stage stage{name};
    for (const auto& [key, value] : yaml.mapping(node, "stages")) {
        if (key == "name") {
            stage.name = trim(yaml.text(value, "stages.name"));
            if (stage.name.empty()) yaml.refuse(value, "stages.name: found nothing, expected a text.");
        } else if (key == "config") {
            stage.config = yaml.config(value, "stages.config");
        } else if (key == "resources") {
            stage.resources = readResourceKeys(yaml, value, resources);
        } else {
            refuseUnknown(yaml, value, "stages.", key, {"name", "config", "resources"});
        }
    }
    return stage;
}

std::string changesText(const Stage& stage) {
    YAML::Emitter out;
    out << YAML::Flow << YAML::BeginMap;
    const Json config = config::flatten(stage.config);
    for (const auto* part : {&config, &stage.resources})
        for (const auto& [key, value] : part->items()) {
            out << YAML::Key << key << YAML::Value;
            emitValue(out, value);
        }
    out << YAML::EndMap;
    std::string text;  // without line feeds, which the emitter puts into long lines
    for (const auto& line : split(out.c_str(), '\n'))
        text += (text.empty() ? "" : " ") + std::string(trim(line));
    return text.substr(1, text.size() - 2);
}

Stage stageFromChanges(const std::string& name, const std::string& changes, const Resources& resources) {
    const YamlReader yaml("stages." + sanitizedText(name), true);
    YAML::Node config(YAML::NodeType::Map), ofResources(YAML::NodeType::Map);
    for (const auto& [key, value] : yaml.mapping(yaml.load("{" + changes + "}"), "changes"))
        (isResourceKey(key) ? ofResources : config)[key] = value;
    return {name, yaml.config(config, "config"), readResourceKeys(yaml, ofResources, resources)};
}

}  // namespace dailies::sweep
