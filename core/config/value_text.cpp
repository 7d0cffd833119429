#include "core/config/value_text.h"

#include "core/base/error.h"
#include "core/base/text.h"

#include <algorithm>

namespace dailies::config {

namespace {

bool isList(const Field& field) {
    return field.defaultValue().is_array();
}

bool isListOfTexts(const Json& value) {
    return value.is_array() && std::ranges::all_of(value, &Json::is_string);
}

std::string jsonText(const Json& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool takesAnyNumber(std::string_view key) {
    const Field* field = findField(key);
    TrainConfig config;
    return field && std::holds_alternative<double*>(field->slot(config));
}

/// As it is, unless it would be read as another text between these separators.
std::string quotedWhereNeeded(const std::string& text, char separator) {
    const bool plain = !text.empty() && trim(std::string_view(text)).size() == text.size() &&
                       text.front() != '"' && text.find(separator) == std::string::npos &&
                       text.find('\n') == std::string::npos;
    return plain ? text : jsonText(text);
}

std::string scalarText(const Json& value) {
    return value.is_number_float() ? shortNumber(value.get<double>()) : jsonText(value);
}

/// At the commas that stand in no quoted text.
std::vector<std::string> splitAtCommas(const std::string& text) {
    std::vector<std::string> parts(1);
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (quoted && text[i] == '\\' && i + 1 < text.size()) {
            parts.back() += text[i++];
        } else if (text[i] == '"' && (quoted || trim(std::string_view(parts.back())).empty())) {
            quoted = !quoted;
        } else if (text[i] == ',' && !quoted) {
            parts.emplace_back();
            continue;
        }
        parts.back() += text[i];
    }
    return parts;
}

}  // namespace

std::string paramText(std::string_view key, const Json& value) {
    if (value.is_string()) return value.get<std::string>();
    // "guidance: 3" in a sweep file is the number 3.0 in the run's configuration.
    const bool whole = value.is_number_integer() && takesAnyNumber(key);
    return jsonText(whole ? Json(value.get<double>()) : value);
}

Json parseParam(const Field& field, const std::string& text) {
    if (!isList(field) || !trim(std::string_view(text)).starts_with('[')) return parseValue(field, text);
    const Json list = parseJson(text, "param " + field.key);
    if (!isListOfTexts(list))
        throw InputError(field.key + ": found " + sanitizedText(text) + ", expected " + field.accepted() +
                         ".");
    return list;
}

std::string valueText(const Json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (!value.is_array()) return scalarText(value);
    std::vector<std::string> lines;
    for (const auto& item : value)
        lines.push_back(item.is_string() ? quotedWhereNeeded(item.get<std::string>(), '\n') : jsonText(item));
    return join(lines, "\n");
}

std::string valuesText(const std::vector<Json>& values) {
    std::vector<std::string> parts;
    for (const auto& value : values)
        parts.push_back(value.is_string()  ? quotedWhereNeeded(value.get<std::string>(), ',')
                        : value.is_array() ? jsonText(value)
                                           : scalarText(value));
    return join(parts, ", ");
}

std::vector<Json> parseValues(const Field& field, const std::string& text) {
    std::vector<Json> values;
    if (isList(field)) {
        for (const auto& list : parseJson("[" + text + "]", field.key)) {
            if (!isListOfTexts(list))
                throw InputError(field.key + ": found " + jsonText(list) +
                                 R"(, expected lists of texts such as ["one", "two"], ["three"].)");
            values.push_back(list);
        }
        return values;
    }
    for (const auto& part : splitAtCommas(text))
        if (const auto word = trim(std::string_view(part)); !word.empty())
            values.push_back(parseValue(field, unquoted(std::string(word))));
    return values;
}

std::string unquoted(const std::string& text) {
    if (text.size() < 2 || text.front() != '"' || text.back() != '"') return text;
    const Json json = Json::parse(text, nullptr, false);
    return json.is_string() ? json.get<std::string>() : text;
}

}  // namespace dailies::config
