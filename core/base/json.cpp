#include "core/base/json.h"

#include "core/base/error.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace dailies {

Json parseJson(std::string_view text, const std::string& source) {
    try {
        return Json::parse(text.begin(), text.end());
    } catch (const Json::parse_error& e) {
        throw InputError(source + " is not valid JSON (at byte " + std::to_string(e.byte) + ").",
                         "Fix the file or regenerate it.");
    } catch (const Json::out_of_range&) {
        throw InputError(
            source + " is not valid JSON: it contains a number that is out of range for a double.",
            "Fix the file or regenerate it.");
    }
}

Json numberToJson(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
    return value;
}

double numberFromJson(const Json& value) {
    if (value.is_number()) return value.get<double>();
    if (value.is_string()) {
        const auto& text = value.get_ref<const std::string&>();
        if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
        if (text == "Infinity") return std::numeric_limits<double>::infinity();
        if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
    }
    throw InputError("Expected a number, found " + value.dump() + ".");
}

std::string shortNumber(double value) {
    char buffer[32];
    // As Python writes numbers, and so the params of most runs: 0.0003 and 100000, but 1e-05.
    const double size = std::abs(value);
    const bool plain = size == 0 || (size >= 1e-4 && size < 1e15);
    const auto end = plain ? std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed)
                           : std::to_chars(buffer, buffer + sizeof buffer, value);
    return {buffer, end.ptr};
}

}  // namespace dailies
