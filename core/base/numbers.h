#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>

namespace dailies {

/// The whole text as a whole number: "12", "-3" where the type has signs. Nothing otherwise, also for one
/// that the type cannot hold.
template <std::integral Number>
std::optional<Number> parseAs(std::string_view text, int base = 10) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// The whole text as a number: "1e-4", "-0.5", "nan", "-Infinity". Nothing otherwise, also for one out of
/// range.
template <std::floating_point Number>
std::optional<Number> parseAs(std::string_view text) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// The same as trackers and people write them, a "+" in front included.
inline std::optional<double> parseNumber(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    return parseAs<double>(text);
}

inline std::optional<std::int64_t> parseInteger(std::string_view text) {
    return parseAs<std::int64_t>(text);
}

/// A count, as files and programs write them: nothing for a negative one either.
inline std::optional<std::int64_t> parseCount(std::string_view text) {
    const auto count = parseInteger(text);
    return count && *count >= 0 ? count : std::nullopt;
}

}  // namespace dailies
