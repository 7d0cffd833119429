#include "core/base/csv.h"

#include "core/base/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace dailies {

namespace {

bool isNumber(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    double value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    return problem != std::errc::invalid_argument && end == text.data() + text.size();
}

/// Whether the text begins as a formula does, behind any apostrophes. A sign alone is what it looks like.
bool beginsAsFormula(std::string_view text) {
    constexpr std::string_view kBegin = "=+-@\t\r";
    text.remove_prefix(std::min(text.find_first_not_of('\''), text.size()));
    return text.size() > 1 && kBegin.find(text.front()) != std::string_view::npos;
}

}  // namespace

std::string csvField(std::string_view text, CsvEscaping form) {
    // a text that has an apostrophe already gets another, so that reading takes away ours and not its own
    const bool guarded = form == CsvEscaping::EscapeFormulas && beginsAsFormula(text) && !isNumber(text);
    if (!guarded && text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
    std::string field;
    if (guarded) field += '\'';
    for (const char c : text) {
        if (c == '"') field += '"';
        field += c;
    }
    if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
    return '"' + field + '"';
}

std::string_view unescapeCsvField(std::string_view field) {
    if (field.starts_with('\'') && beginsAsFormula(field)) field.remove_prefix(1);
    return field;
}

std::string csvNumber(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
    return shortNumber(value);
}

std::string csvRecord(const std::vector<std::string>& fields) {
    std::string record;
    for (const auto& field : fields) record += (&field == &fields.front() ? "" : ",") + csvField(field);
    return record + "\r\n";
}

}  // namespace dailies
