#include "core/sweep/yaml_reader.h"

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/base/text.h"
#include "core/sweep/parameter.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace dailies::sweep {

namespace {

std::string described(const YAML::Node& node) {
    if (!node.IsDefined() || node.IsNull()) return "nothing";
    if (node.IsSequence()) return "a list";
    if (node.IsMap()) return "a mapping";
    return sanitizedText(node.Scalar());
}

/// Quoted it is a key like any other.
bool isMergeKey(const YAML::Node& key) {
    return key.Scalar() == "<<" && key.Tag() != "!";
}

template <class Number>
std::optional<Number> parsed(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    return parseAs<Number>(text);
}

}  // namespace

Json parseScalar(const std::string& scalar) {
    if (scalar == "true" || scalar == "True") return true;
    if (scalar == "false" || scalar == "False") return false;
    if (const auto whole = parsed<std::int64_t>(scalar)) return *whole;
    // from_chars takes "inf" and "nan" for numbers; in a config they can only be words
    const bool looksNumeric = scalar.find_first_of("0123456789") != std::string::npos;
    if (const auto number = parsed<double>(scalar); number && looksNumeric) return *number;
    return scalar;
}

YAML::Node YamlReader::load(std::string_view yaml) const {
    try {
        return YAML::Load(std::string(yaml));
    } catch (const YAML::Exception& failure) {
        throw InputError(at(failure.mark.line) + ": not valid YAML (" + sanitizedText(failure.msg) + ").",
                         m_isOneLine
                             ? "Check commas, colons and quotes."
                             : "Check the indentation (spaces, no tabs) and the quotes near that line.");
    }
}

void YamlReader::refuse(const YAML::Node& at, const std::string& problem) const {
    throw InputError(this->at(at.IsDefined() ? at.Mark().line : -1) + ": " + problem);
}

std::string YamlReader::at(int line) const {
    return m_source + (line >= 0 && !m_isOneLine ? ", line " + std::to_string(line + 1) : "");
}

Json YamlReader::config(const YAML::Node& node, const std::string& key) const {
    Json config = Json::object();
    readConfig(node, key, "", config);
    return config;
}

void YamlReader::readConfig(const YAML::Node& node, const std::string& whole, const std::string& prefix,
                            Json& config) const {
    for (const auto& [name, value] : mapping(node, whole)) {
        const std::string key = prefix + name;
        const config::Field* field = config::findField(key);
        if (!field && config::isGroup(key) && value.IsMap()) {
            readConfig(value, whole, key + ".", config);
            continue;
        }
        if (!field) refuse(value, whole + "." + unknownKey(key));
        const Json given = this->value(value, *field);
        if (!config::accepts(*field, given)) refuse(value, whole + "." + key, field->accepted());
        config::setByKey(config, key, given);
    }
}

void YamlReader::refuse(const YAML::Node& at, const std::string& key, const std::string& expected) const {
    refuse(at, key + ": found " + described(at) + ", expected " + expected + ".");
}

std::vector<YamlReader::Entry> YamlReader::mapping(const YAML::Node& node, const std::string& key) const {
    if (!node.IsMap()) refuse(node, key, "a mapping of keys");
    std::vector<Entry> entries;
    std::set<std::string> seen;
    for (const auto& entry : node) {
        if (!entry.first.IsScalar()) refuse(entry.first, key, "keys that are words");
        const std::string& name = entry.first.Scalar();
        if (!seen.insert(name).second)
            refuse(entry.first, sanitizedText(name) + ": found twice, expected once.");
    }
    for (const auto& entry : node) {
        if (!isMergeKey(entry.first)) {
            entries.emplace_back(entry.first.Scalar(), entry.second);
            continue;
        }
        std::vector<Entry> merged;
        std::vector<YAML::Node> met{node};
        merge(entry.second, key, met, merged);
        for (auto& [name, value] : merged)
            if (seen.insert(name).second) entries.emplace_back(std::move(name), value);
    }
    return entries;
}

/// `met`: the mappings that are in already; met again, even inside of themselves, they add nothing.
void YamlReader::merge(const YAML::Node& from, const std::string& key, std::vector<YAML::Node>& met,
                       std::vector<Entry>& entries) const {
    if (from.IsSequence()) {
        for (const auto& item : from) {
            if (!item.IsMap()) refuse(item, key + ".<<", "a mapping, as *name of an anchor &name");
            merge(item, key, met, entries);
        }
        return;
    }
    if (!from.IsMap()) refuse(from, key + ".<<", "a mapping, as *name of an anchor &name, or a list of such");
    if (std::any_of(met.begin(), met.end(), [&](const YAML::Node& node) { return node.is(from); })) return;
    met.push_back(from);
    for (const auto& entry : from) {
        if (!entry.first.IsScalar()) refuse(entry.first, key, "keys that are words");
        if (!isMergeKey(entry.first)) entries.emplace_back(entry.first.Scalar(), entry.second);
    }
    for (const auto& entry : from)  // what it takes from others comes after its own
        if (isMergeKey(entry.first)) merge(entry.second, key, met, entries);
}

std::string YamlReader::text(const YAML::Node& node, const std::string& key) const {
    if (!node.IsScalar()) refuse(node, key, "a text");
    return node.Scalar();
}

double YamlReader::number(const YAML::Node& node, const std::string& key) const {
    const Json value = node.IsScalar() && node.Tag() != "!" ? parseScalar(node.Scalar()) : Json();
    if (!value.is_number()) refuse(node, key, "a number");
    return value.get<double>();
}

std::int64_t YamlReader::wholeNumber(const YAML::Node& node, const std::string& key) const {
    const Json value = node.IsScalar() && node.Tag() != "!" ? parseScalar(node.Scalar()) : Json();
    if (!value.is_number_integer()) refuse(node, key, "a whole number");
    return value.get<std::int64_t>();
}

Json YamlReader::anyValue(const YAML::Node& node, const std::string& key) const {
    if (node.IsMap()) {
        Json object = Json::object();
        for (const auto& [name, item] : mapping(node, key)) object[name] = anyValue(item, key + "." + name);
        return object;
    }
    if (node.IsSequence()) {
        Json list = Json::array();
        for (const auto& item : node) list.push_back(anyValue(item, key));
        return list;
    }
    if (node.IsNull() || !node.IsDefined()) return nullptr;
    const std::string& text = node.Scalar();
    if (node.Tag() == "!" || node.Tag() == "tag:yaml.org,2002:str") return text;
    static const std::set<std::string> kTrue = {"true", "True", "TRUE", "yes", "Yes",
                                                "YES",  "on",   "On",   "ON"};
    static const std::set<std::string> kFalse = {"false", "False", "FALSE", "no", "No",
                                                 "NO",    "off",   "Off",   "OFF"};
    if (kTrue.contains(text)) return true;
    if (kFalse.contains(text)) return false;
    Json value = parseScalar(text);
    const bool isFloat = node.Tag() == "tag:yaml.org,2002:float";
    return isFloat && value.is_number_integer() ? Json(value.get<double>()) : value;
}

Json YamlReader::value(const YAML::Node& node, const config::Field& field) const {
    const std::string type = field.typeName();
    if (node.IsScalar()) {
        const bool quoted = node.Tag() == "!";
        return quoted || type == "text" ? Json(node.Scalar()) : parseScalar(node.Scalar());
    }
    if (node.IsSequence() && type == "list of texts") {
        Json list = Json::array();
        for (const auto& item : node) list.push_back(text(item, field.key));
        return list;
    }
    refuse(node, field.key, field.accepted());
}

}  // namespace dailies::sweep
