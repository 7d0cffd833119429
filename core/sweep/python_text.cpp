#include "core/sweep/python_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace dailies::sweep {

namespace {

/// float.__repr__: the shortest digits that read back; an exponent below 1e-4 and from 1e16 on.
std::string floatText(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
    std::array<char, 64> text{};
    const double size = std::abs(value);
    const bool fixed = size == 0 || (size >= 1e-4 && size < 1e16);
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                   fixed ? std::chars_format::fixed : std::chars_format::scientific);
    std::string shown(text.data(), end.ptr);
    if (fixed && shown.find('.') == std::string::npos) shown += ".0";
    return shown;
}

/// str.__repr__ of text in UTF-8: single quotes unless it holds those and no double ones.
std::string quotedText(const std::string& text) {
    const bool doubled = text.find('\'') != std::string::npos && text.find('"') == std::string::npos;
    const char quote = doubled ? '"' : '\'';
    std::string shown(1, quote);
    for (const char c : text) {
        constexpr char kDigits[] = "0123456789abcdef";
        const auto byte = static_cast<unsigned char>(c);
        if (c == '\\' || c == quote)
            shown += {'\\', c};
        else if (c == '\n')
            shown += "\\n";
        else if (c == '\r')
            shown += "\\r";
        else if (c == '\t')
            shown += "\\t";
        else if (byte < 0x20 || byte == 0x7f)
            shown += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
        else
            shown += c;
    }
    return shown + quote;
}

/// Lists and objects have the same form in Python's repr() and in JSON.
template <typename Quote, typename Show>
std::string structureText(const Json& value, const Quote& quote, const Show& show) {
    std::string items;
    for (const auto& [key, item] : value.items()) {
        if (!items.empty()) items += ", ";
        if (value.is_object()) items += quote(key) + ": ";
        items += show(item);
    }
    return value.is_object() ? "{" + items + "}" : "[" + items + "]";
}

std::string repr(const Json& value) {
    if (value.is_string()) return quotedText(value.get<std::string>());
    return value.is_structured() ? structureText(value, quotedText, repr) : pythonText(value);
}

std::string asciiJson(const Json& text) {
    return text.dump(-1, ' ', true, Json::error_handler_t::replace);
}

}  // namespace

std::string pythonText(const Json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
    if (value.is_null()) return "None";
    if (value.is_number_float()) return floatText(value.get<double>());
    return value.is_structured() ? repr(value) : value.dump();
}

std::string pythonJson(const Json& value) {
    if (value.is_structured()) return structureText(value, asciiJson, pythonJson);
    return value.is_number_float() ? floatText(value.get<double>()) : asciiJson(value);
}

}  // namespace dailies::sweep
