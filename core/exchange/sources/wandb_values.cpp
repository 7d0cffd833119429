#include "core/exchange/sources/wandb_values.h"

#include "core/base/text.h"
#include "core/exchange/numbers.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>

namespace dailies::exchange {

Json lenientJson(std::string_view text) {
    auto value = Json::parse(text, nullptr, false);
    if (!value.is_discarded()) return value;
    // the bare words, outside of strings, in the quotes that our own files give them
    std::string quoted;
    bool inString = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (inString && text[i] == '\\' && i + 1 < text.size()) {
            quoted += text[i++];
        } else if (text[i] == '"') {
            inString = !inString;
        } else if (!inString) {
            bool replaced = false;
            for (const std::string_view word : {"NaN", "-Infinity", "Infinity"})
                if (text.substr(i, word.size()) == word) {
                    quoted += '"' + std::string(word) + '"';
                    i += word.size() - 1;
                    replaced = true;
                    break;
                }
            if (replaced) continue;
        }
        quoted += text[i];
    }
    value = Json::parse(quoted, nullptr, false);
    return value.is_discarded() ? Json() : value;
}

Json jsonFromYaml(const YAML::Node& node) {
    if (node.IsMap()) {
        Json object = Json::object();
        for (const auto& entry : node) object[entry.first.Scalar()] = jsonFromYaml(entry.second);
        return object;
    }
    if (node.IsSequence()) {
        Json list = Json::array();
        for (const auto& entry : node) list.push_back(jsonFromYaml(entry));
        return list;
    }
    return node.IsScalar() ? Json(node.Scalar()) : Json();
}

void flattenConfig(const std::string& key, const Json& value, tracking::KeyedValues<std::string>& params) {
    if (value.is_object() && !value.empty()) {
        for (const auto& [name, inner] : value.items()) flattenConfig(key + "." + name, inner, params);
        return;
    }
    // as Python prints them, which is what its clients write into MLflow
    params[key] = value.is_string()    ? value.get<std::string>()
                  : value.is_boolean() ? (value.get<bool>() ? "True" : "False")
                  : value.is_null()    ? "None"
                                       : value.dump();
}

void FlatValues::add(const std::string& key, const Json& value) {
    if (value.is_number()) return add(key, value.get<double>());
    if (value.is_boolean()) return add(key, value.get<bool>() ? 1.0 : 0.0);
    if (value.is_object()) {
        if (const auto type = value.find("_type"); type != value.end())
            return addSkipped(type->is_string() ? "media (" + type->get<std::string>() + ")" : "media");
        for (const auto& [name, inner] : value.items()) add(key + "." + name, inner);
        return;
    }
    if (value.is_string()) {
        const auto& text = value.get_ref<const std::string&>();
        if (text == "NaN" || text == "Infinity" || text == "-Infinity") return add(key, *parseNumber(text));
        if (key.ends_with("._type")) {
            m_media.insert(key.substr(0, key.size() - std::string_view("_type").size()));
            return addSkipped("media (" + text + ")");
        }
        return addSkipped("texts in the history");
    }
    // lists are mostly parts of media, which are told by their type
    if (value.is_array() && key.find('.') == std::string::npos) addSkipped("lists in the history");
}

void FlatValues::addText(const std::string& key, const std::string& json) {
    if (const auto number = parseNumber(json)) return add(key, *number);
    add(key, lenientJson(json));
}

void FlatValues::addSkipped(const std::string& what) {
    if (m_account == Account::Kept) m_sink.addSkipped(what, "only numbers are imported");
}

std::vector<std::pair<std::string, double>> FlatValues::numbers() const {
    auto numbers = m_numbers;
    std::erase_if(numbers, [&](const auto& entry) {
        return std::any_of(m_media.begin(), m_media.end(),
                           [&](const std::string& media) { return entry.first.starts_with(media); });
    });
    return numbers;
}

}  // namespace dailies::exchange
