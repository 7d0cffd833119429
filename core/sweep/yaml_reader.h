#pragma once

#include "core/base/json.h"
#include "core/config/schema.h"

#include <yaml-cpp/yaml.h>

#include <string>
#include <utility>
#include <vector>

namespace dailies::sweep {

/// Reads the nodes of one YAML file as what they should be; an `InputError` names the file, the line, the
/// key, what was found and what would be accepted.
class YamlReader {
public:
    using Entry = std::pair<std::string, YAML::Node>;

    /// `isOneLine`: of no file, so that no line is named.
    explicit YamlReader(std::string source, bool isOneLine = false)
        : m_source(std::move(source)), m_isOneLine(isOneLine) {}

    /// The document's root. Throws on a mistake of syntax.
    YAML::Node load(std::string_view yaml) const;

    [[noreturn]] void refuse(const YAML::Node& at, const std::string& problem) const;
    [[noreturn]] void refuse(const YAML::Node& at, const std::string& key, const std::string& expected) const;

    /// In the file's order. A merge key (`<<: *common`, or a list of them) stands for the entries of its
    /// mapping that are not written here themselves; of several mappings the first has its way.
    std::vector<Entry> mapping(const YAML::Node& node, const std::string& key) const;
    std::string text(const YAML::Node& node, const std::string& key) const;
    double number(const YAML::Node& node, const std::string& key) const;
    std::int64_t wholeNumber(const YAML::Node& node, const std::string& key) const;

    /// One value of a config field: plain scalars are what they look like (1e-3 is a number), unless the
    /// field is text.
    Json value(const YAML::Node& node, const config::Field& field) const;

    /// A partial config, whose keys may be nested or dotted. `key`: what it is called.
    Json config(const YAML::Node& node, const std::string& key) const;

    /// A value of any type, as Python's YAML reads it, but that 1e-4 is a number and 16:9 is text.
    Json anyValue(const YAML::Node& node, const std::string& key) const;

private:
    void merge(const YAML::Node& from, const std::string& key, std::vector<YAML::Node>& met,
               std::vector<Entry>& entries) const;

    void readConfig(const YAML::Node& node, const std::string& whole, const std::string& prefix,
                    Json& config) const;
    std::string at(int line) const;  ///< counted from 0; -1: unknown

    std::string m_source;
    bool m_isOneLine;
};

/// What a plain YAML scalar looks like: true, 12, 1e-3, else text.
Json parseScalar(const std::string& scalar);

}  // namespace dailies::sweep
