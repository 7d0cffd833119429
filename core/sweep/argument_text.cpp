#include "core/sweep/argument_text.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/sweep/parameter.h"
#include "core/sweep/python_text.h"
#include "core/sweep/yaml_reader.h"

namespace dailies::sweep {

namespace {

using Kind = Parameter::Kind;

constexpr const char* kSource = "values";

YAML::Node listOf(const YamlReader& yaml, const std::string& text) {
    const YAML::Node root = yaml.load("{values: [" + text + "\n]}");
    // a bracket too many would end the list
    if (!root.IsMap() || root.size() != 1) yaml.refuse(root, "values", "a list");
    return root["values"];
}

/// Without quotes where it is read back as the same text.
std::string wordText(const std::string& text) {
    const YamlReader yaml(kSource);
    try {
        const YAML::Node list = listOf(yaml, text);
        if (list.size() == 1 && yaml.anyValue(list[0], {}) == text) return text;
    } catch (const InputError&) {
    }
    return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string flowText(const Json& value) {
    if (value.is_string()) return wordText(value.get<std::string>());
    if (value.is_number_float()) return pythonText(value);
    std::vector<std::string> parts;
    if (value.is_array()) {
        for (const auto& item : value) parts.push_back(flowText(item));
        return "[" + join(parts, ", ") + "]";
    }
    if (value.is_object()) {
        for (const auto& [key, item] : value.items()) parts.push_back(wordText(key) + ": " + flowText(item));
        return "{" + join(parts, ", ") + "}";
    }
    return value.dump();
}

}  // namespace

std::string argumentText(const Parameter& parameter) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < parameter.values.size(); ++i) {
        const auto spelling = spellingOf(parameter, i);
        parts.push_back(spelling.empty() ? flowText(parameter.values[i]) : std::string(spelling));
    }
    return join(parts, ", ");
}

void readArgumentText(Parameter& parameter, const std::string& text) {
    const bool isOne = parameter.kind == Kind::Fixed;
    const auto refuse = [&](const std::string& found, const std::string& expected) {
        throw InputError(sanitizedText(parameter.key) + ": found " + found + ", expected " + expected);
    };
    const YamlReader yaml(kSource);
    Parameter read = parameter;
    read.values.clear();
    read.spellings.clear();
    try {
        for (const auto& item : listOf(yaml, text)) addArgument(read, yaml, item);
    } catch (const InputError&) {
        refuse("'" + sanitizedText(text) + "'",
               "what a sweep file may hold; put text with : # [ ] { } or a comma in quotes.");
    }
    if (read.values.empty())
        refuse("nothing", isOne ? "a value, such as 1e-4." : "values, such as 1e-4, 5e-5.");
    if (isOne && read.values.size() > 1)
        refuse(std::to_string(read.values.size()) + " values",
               "one; put text with a comma in quotes, and a list in [ ].");
    parameter = std::move(read);
}

void addArgument(Parameter& parameter, const YamlReader& yaml, const YAML::Node& node) {
    parameter.values.push_back(yaml.anyValue(node, parameter.key));
    const Json& value = parameter.values.back();
    if (!value.is_number()) return;
    const std::string written = value.is_number_float() ? shortNumber(value.get<double>()) : value.dump();
    if (node.Scalar() == pythonText(value) && node.Scalar() == written) return;
    parameter.spellings.resize(parameter.values.size());
    parameter.spellings.back() = node.Scalar();
}

}  // namespace dailies::sweep
