#include "core/compare/params_yaml.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/value_text.h"

#include <yaml-cpp/yaml.h>

#include <map>
#include <memory>

namespace dailies::compare {

namespace {

struct Node {
    std::string key;
    Json value;                  ///< of a leaf
    std::vector<Node> children;  ///< of a group, in the order met
};

Node* childOf(Node& parent, const std::string& key) {
    for (Node& child : parent.children)
        if (child.key == key) return &child;
    return nullptr;
}

/// False when the key leads through a value or ends on a group.
bool place(Node& root, const std::vector<std::string>& path, const Json& value) {
    Node* at = &root;
    for (std::size_t i = 0; i < path.size(); ++i) {
        const bool leaf = i + 1 == path.size();
        Node* child = childOf(*at, path[i]);
        if (child && (leaf || child->children.empty())) return false;
        if (!child) {
            at->children.push_back({path[i], leaf ? value : Json(), {}});
            child = &at->children.back();
        }
        at = child;
    }
    return true;
}

void emitText(YAML::Emitter& out, const std::string& text) {
    // A reader must not take text for a number, a truth or a list.
    const bool plain = !text.empty() &&
                       text.find_first_not_of(
                           "abcdefghijklmnopqrstuvwxyz"
                           "ABCDEFGHIJKLMNOPQRSTUVWXYZ_-/") == std::string::npos &&
                       text != "null" && text != "true" && text != "false" && text != "yes" && text != "no" &&
                       text != "on" && text != "off" && text != "y" && text != "n" && text.front() != '-';
    if (!plain) out << YAML::DoubleQuoted;
    out << text;
}

void emitValue(YAML::Emitter& out, const Json& value) {
    if (value.is_string()) {
        emitText(out, value.get<std::string>());
    } else if (value.is_array()) {
        out << YAML::Flow << YAML::BeginSeq;
        for (const auto& item : value) emitValue(out, item);
        out << YAML::EndSeq;
    } else if (value.is_number_float()) {
        out << shortNumber(value.get<double>());
    } else {
        out << value.dump();
    }
}

void emitNode(YAML::Emitter& out, const Node& node) {
    out << YAML::BeginMap;
    for (const Node& child : node.children) {
        out << YAML::Key;
        emitText(out, child.key);
        out << YAML::Value;
        if (child.children.empty())
            emitValue(out, child.value);
        else
            emitNode(out, child);
    }
    out << YAML::EndMap;
}

Json typed(const std::string& key, const std::string& text) {
    const auto* field = config::findField(key);
    if (!field) return text;
    try {
        return config::parseParam(*field, text);
    } catch (const Error&) {
        return text;  // another version's idea of this key
    }
}

}  // namespace

std::string paramsToYaml(const tracking::Run& run) {
    std::map<std::string, std::string> rest;
    for (const auto& [key, value] : run.params) rest.emplace(key, value);
    Node root;
    const auto add = [&](const std::string& key, const std::string& value) {
        const Json json = typed(key, value);
        if (!place(root, split(key, '.'), json)) root.children.push_back({key, json, {}});
    };
    for (const auto& field : config::trainSchema())
        if (auto found = rest.extract(field.key)) add(found.key(), found.mapped());
    for (const auto& [key, value] : rest) add(key, value);
    YAML::Emitter out;
    emitNode(out, root);
    return std::string(out.c_str()) + "\n";
}

}  // namespace dailies::compare
