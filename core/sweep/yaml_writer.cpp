#include "core/sweep/yaml_writer.h"

#include "core/base/text.h"
#include "core/sweep/python_text.h"

#include <algorithm>
#include <cctype>

namespace dailies::sweep {

namespace {

/// A YAML parser could take it for nothing else.
bool isPlainWord(const std::string& text) {
    const auto isWordCharacter = [](unsigned char c) {
        return std::isalnum(c) || c == '_' || c == '-' || c == '.' || c == '/';
    };
    static constexpr std::string_view kReserved[] = {"null", "yes", "no",   "on",   "off",
                                                     "y",    "n",   "true", "false"};
    const std::string lower = lowered(text);
    return !text.empty() && std::isalpha(static_cast<unsigned char>(text.front())) &&
           std::all_of(text.begin(), text.end(), isWordCharacter) &&
           std::find(std::begin(kReserved), std::end(kReserved), lower) == std::end(kReserved);
}

}  // namespace

void emitText(YAML::Emitter& out, const std::string& text) {
    if (!isPlainWord(text)) out << YAML::DoubleQuoted;
    out << text;
}

void emitValue(YAML::Emitter& out, const Json& value, bool exact) {
    if (value.is_string()) {
        emitText(out, value.get<std::string>());
    } else if (value.is_number_float()) {
        out << (exact ? pythonText(value) : shortNumber(value.get<double>()));
    } else if (value.is_null()) {
        out << YAML::Null;
    } else if (value.is_array()) {
        out << YAML::Flow << YAML::BeginSeq;
        for (const auto& item : value) emitValue(out, item, exact);
        out << YAML::EndSeq;
    } else if (value.is_object()) {
        out << YAML::BeginMap;
        for (const auto& [key, item] : value.items()) {
            out << YAML::Key << key << YAML::Value;
            emitValue(out, item, exact);
        }
        out << YAML::EndMap;
    } else {
        out << value.dump();
    }
}

}  // namespace dailies::sweep
