#include "core/sweep/config_file.h"

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/base/text.h"

#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>
#include <toml++/toml.h>
#include <utility>

namespace dailies::sweep {

namespace {

using Path = std::vector<std::string>;

[[noreturn]] void refusePath(const Path& path, std::size_t at) {
    const Path leading(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(at));
    throw InputError(join(path, ".") + ": " + sanitizedText(join(leading, ".")) +
                     " is no table and no list in the configuration file.");
}

/// The place in a list; nullopt where the list has no such place.
std::optional<std::size_t> indexIn(std::size_t size, const std::string& name) {
    const auto index = parseInteger(name);
    if (!index || *index < 0 || static_cast<std::size_t>(*index) >= size) return std::nullopt;
    return static_cast<std::size_t>(*index);
}

/// A configuration file while values are put into it.
class Document {
public:
    virtual ~Document() = default;
    virtual bool has(const Path& path) = 0;
    virtual void set(const Path& path, const Json& value) = 0;
    virtual void remove(const Path& path) = 0;
    virtual std::string text() const = 0;
};

class JsonDocument final : public Document {
public:
    JsonDocument(const std::string& text, const std::string& name) : m_root(parseJson(text, name)) {}

    bool has(const Path& path) override {
        Json* node = &m_root;
        for (const auto& name : path)
            if (!(node = inside(*node, name))) return false;
        return true;
    }
    void set(const Path& path, const Json& value) override {
        Json* node = &m_root;
        for (std::size_t i = 0; i < path.size(); ++i) {
            if (auto* known = inside(*node, path[i]))
                node = known;
            else if (node->is_object() || node->is_null())
                node = &(*node)[path[i]];
            else
                refusePath(path, i);
        }
        *node = value;
    }
    void remove(const Path& path) override {
        Json* node = &m_root;
        for (std::size_t i = 0; i + 1 < path.size() && node; ++i) node = inside(*node, path[i]);
        if (node && node->is_object()) node->erase(path.back());
    }
    std::string text() const override { return m_root.dump(2) + "\n"; }

private:
    static Json* inside(Json& node, const std::string& name) {
        if (node.is_array()) {
            const auto index = indexIn(node.size(), name);
            return index ? &node[*index] : nullptr;
        }
        const auto found = node.find(name);
        return found == node.end() ? nullptr : &*found;
    }

    Json m_root;
};

class TomlDocument final : public Document {
public:
    TomlDocument(const std::string& text, const std::string& name) try : m_root(toml::parse(text)) {
    } catch (const toml::parse_error& error) {
        throw InputError(name + ", line " + std::to_string(error.source().begin.line) + ": " +
                         std::string(error.description()) + ".");
    }

    bool has(const Path& path) override {
        toml::node* node = &m_root;
        for (const auto& name : path)
            if (!(node = inside(*node, name))) return false;
        return true;
    }
    void set(const Path& path, const Json& value) override {
        toml::node* node = &m_root;
        for (std::size_t i = 0; i + 1 < path.size(); ++i) {
            if (auto* known = inside(*node, path[i]))
                node = known;
            else if (auto* table = node->as_table())
                node = &table->insert_or_assign(path[i], toml::table{}).first->second;
            else
                refusePath(path, i);
        }
        if (auto* table = node->as_table()) {
            insert(*table, path.back(), value);
            return;
        }
        auto* list = node->as_array();
        const auto index = list ? indexIn(list->size(), path.back()) : std::nullopt;
        const toml::array made = listOf(Json::array({value}));
        if (!index) refusePath(path, path.size() - 1);
        list->replace(list->cbegin() + static_cast<std::ptrdiff_t>(*index), *made.get(0));
    }
    void remove(const Path& path) override {
        toml::node* node = &m_root;
        for (std::size_t i = 0; i + 1 < path.size() && node; ++i) node = inside(*node, path[i]);
        if (auto* table = node ? node->as_table() : nullptr) table->erase(path.back());
    }
    std::string text() const override {
        std::ostringstream out;
        out << m_root << "\n";
        return out.str();
    }

private:
    static toml::node* inside(toml::node& node, const std::string& name) {
        if (auto* table = node.as_table()) return table->get(name);
        auto* list = node.as_array();
        const auto index = list ? indexIn(list->size(), name) : std::nullopt;
        return index ? list->get(*index) : nullptr;
    }

    /// TOML has no null: within lists and tables it is left out.
    static void insert(toml::table& table, const std::string& key, const Json& value) {
        if (value.is_boolean())
            table.insert_or_assign(key, value.get<bool>());
        else if (value.is_number_integer())
            table.insert_or_assign(key, value.get<std::int64_t>());
        else if (value.is_number())
            table.insert_or_assign(key, value.get<double>());
        else if (value.is_string())
            table.insert_or_assign(key, value.get<std::string>());
        else if (value.is_array())
            table.insert_or_assign(key, listOf(value));
        else if (value.is_object())
            table.insert_or_assign(key, tableOf(value));
    }
    static toml::table tableOf(const Json& value) {
        toml::table table;
        for (const auto& [key, item] : value.items()) insert(table, key, item);
        return table;
    }
    static toml::array listOf(const Json& value) {
        toml::array list;
        for (const auto& item : value) {
            toml::table holder;
            insert(holder, "item", item);
            if (const auto* made = holder.get("item")) list.push_back(*made);
        }
        return list;
    }

    toml::table m_root;
};

/// Scalars stay as they are written: what is quoted is text, and what is plain is what the program's reader
/// makes of it.
void emit(YAML::Emitter& out, const YAML::Node& node) {
    if (node.IsMap()) {
        out << YAML::BeginMap;
        for (const auto& entry : node) {
            out << YAML::Key;
            emit(out, entry.first);
            out << YAML::Value;
            emit(out, entry.second);
        }
        out << YAML::EndMap;
    } else if (node.IsSequence()) {
        out << YAML::Flow << YAML::BeginSeq;
        for (const auto& item : node) emit(out, item);
        out << YAML::EndSeq;
    } else if (node.IsNull() || !node.IsDefined()) {
        out << YAML::Null;
    } else if (node.Tag() == "!") {
        out << YAML::DoubleQuoted << node.Scalar();
    } else {
        if (!node.Tag().empty() && node.Tag() != "?") out << YAML::VerbatimTag(node.Tag());
        out << node.Scalar();
    }
}

class YamlDocument final : public Document {
public:
    YamlDocument(const std::string& text, const std::string& name) {
        try {
            m_root = YAML::Load(text);
            m_root = YAML::Load(this->text());  // nodes that an anchor shares become nodes of their own
        } catch (const YAML::Exception& error) {
            throw InputError(name + ", line " + std::to_string(error.mark.line + 1) + ": " + error.msg + ".");
        }
        if (!m_root.IsMap() && !m_root.IsNull()) throw InputError(name + ": found no mapping, expected one.");
    }

    bool has(const Path& path) override {
        YAML::Node node;
        node.reset(m_root);
        for (const auto& name : path) {
            const auto next = inside(node, name);
            if (!next) return false;
            node.reset(*next);
        }
        return true;
    }
    void set(const Path& path, const Json& value) override { m_root = with(m_root, path, 0, value); }
    void remove(const Path& path) override {
        YAML::Node node;
        node.reset(m_root);
        for (std::size_t i = 0; i + 1 < path.size(); ++i) {
            const auto next = inside(node, path[i]);
            if (!next) return;
            node.reset(*next);
        }
        if (node.IsMap()) node.remove(path.back());
    }
    std::string text() const override {
        YAML::Emitter out;
        emit(out, m_root);
        return std::string(out.c_str()) + "\n";
    }

private:
    static std::optional<YAML::Node> inside(const YAML::Node& node, const std::string& name) {
        if (node.IsSequence()) {
            const auto index = indexIn(node.size(), name);
            return index ? std::optional(node[*index]) : std::nullopt;
        }
        if (!node.IsMap()) return std::nullopt;
        const YAML::Node found = node[name];
        return found.IsDefined() ? std::optional(found) : std::nullopt;
    }

    static YAML::Node with(YAML::Node node, const Path& path, std::size_t at, const Json& value) {
        if (at == path.size()) return nodeOf(value);
        if (node.IsSequence()) {
            const auto index = indexIn(node.size(), path[at]);
            if (!index) refusePath(path, at);
            node[*index] = with(node[*index], path, at + 1, value);
            return node;
        }
        if (node.IsScalar()) refusePath(path, at);
        const auto known = inside(node, path[at]);
        node[path[at]] = with(known ? *known : YAML::Node(YAML::NodeType::Null), path, at + 1, value);
        return node;
    }

    static YAML::Node nodeOf(const Json& value) {
        if (value.is_number_float()) {
            // Python's reader takes 1e-05 for text and 1.0e-05 for a number
            std::string text = value.dump();
            if (const auto e = text.find('e'); e != std::string::npos && text.find('.') == std::string::npos)
                text.insert(e, ".0");
            return YAML::Load(text);
        }
        if (value.is_array()) {
            YAML::Node list(YAML::NodeType::Sequence);
            for (const auto& item : value) list.push_back(nodeOf(item));
            return list;
        }
        if (value.is_object()) {
            YAML::Node map(YAML::NodeType::Map);
            for (const auto& [name, item] : value.items()) map[name] = nodeOf(item);
            return map;
        }
        return YAML::Load(value.dump());
    }

    YAML::Node m_root;
};

std::string extensionOf(const ConfigFile& file) {
    return std::filesystem::path(file.path).extension().string();
}

std::unique_ptr<Document> open(const ConfigFile& file) {
    const std::string extension = extensionOf(file);
    const std::string name = sanitizedText(file.path);
    if (extension == ".toml") return std::make_unique<TomlDocument>(file.text, name);
    if (extension == ".json") return std::make_unique<JsonDocument>(file.text, name);
    return std::make_unique<YamlDocument>(file.text, name);
}

}  // namespace

std::string nameInRun(const ConfigFile& file) {
    return "config_file" + extensionOf(file);
}

std::string renderConfigFile(const ConfigFile& file, const Json& values) {
    const auto document = open(file);
    for (const auto& [key, value] : values.items()) {
        const Path path = split(key, '.');
        if (value.is_null())
            document->remove(path);
        else
            document->set(path, value);
    }
    return document->text();
}

std::vector<std::string> keysMissingIn(const ConfigFile& file, const std::vector<std::string>& keys) {
    const auto document = open(file);
    std::vector<std::string> missing;
    for (const auto& key : keys)
        if (!document->has(split(key, '.'))) missing.push_back(key);
    return missing;
}

std::string configFileProblem(const ConfigFile& file) {
    const std::string extension = extensionOf(file);
    for (const char* known : {".toml", ".yaml", ".yml", ".json"})
        if (extension == known) return {};
    return "config_file: found " + sanitizedText(file.path) +
           ", expected a file that ends in .toml, .yaml or .json.";
}

}  // namespace dailies::sweep
