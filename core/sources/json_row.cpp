#include "core/sources/json_row.h"

#include "core/base/numbers.h"
#include "core/sources/wandb_values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

namespace dailies::sources {

namespace {

std::optional<double> numberOf(const Json& value) {
    if (value.is_number()) return value.get<double>();
    if (!value.is_string()) return std::nullopt;
    constexpr std::array<std::string_view, 6> kNames = {"NaN", "Infinity", "-Infinity", "nan", "inf", "-inf"};
    const auto& text = value.get_ref<const std::string&>();
    if (std::find(kNames.begin(), kNames.end(), text) == kNames.end()) return std::nullopt;
    return parseNumber(text);
}

std::optional<std::int64_t> stepOf(const Json& row) {
    for (const auto& [name, value] : row.items()) {
        if (!isStepName(name) || !value.is_number()) continue;
        if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX) continue;
        if (value.is_number_integer()) return value.get<std::int64_t>();
        const double step = value.get<double>();
        if (step == std::floor(step) && std::fabs(step) < 9e15) return static_cast<std::int64_t>(step);
    }
    return std::nullopt;
}

/// Unix time in seconds or milliseconds under one of the usual names.
std::optional<std::int64_t> timeOf(std::string_view name, const Json& value) {
    constexpr std::array<std::string_view, 5> kNames = {"timestamp", "_timestamp", "time", "ts", "wall_time"};
    if (!value.is_number() || std::find(kNames.begin(), kNames.end(), name) == kNames.end())
        return std::nullopt;
    const double time = value.get<double>();
    if (!(time > 1e8 && time < 1e14)) return std::nullopt;  // a duration, or no date of these centuries
    return std::llround(time < 1e11 ? time * 1000.0 : time);
}

void addNumbers(const std::string& key, const Json& value, const tracking::MetricPoint& at, Collector& into) {
    if (value.is_object()) {
        for (const auto& [name, inner] : value.items()) addNumbers(key + "." + name, inner, at, into);
        return;
    }
    if (const auto number = numberOf(value)) into.point(key, {at.step, at.timestampMs, *number});
}

}  // namespace

bool isStepName(std::string_view name) {
    constexpr std::array<std::string_view, 7> kNames = {"step",  "global_step", "iter",       "iteration",
                                                        "steps", "_step",       "global step"};
    std::string lower(name.substr(0, 16));
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return std::find(kNames.begin(), kNames.end(), lower) != kNames.end();
}

bool readJsonRow(std::string_view line, std::int64_t readMs, Collector& into) {
    // most lines of other files are no metrics, and parsing costs
    if (!line.starts_with('{')) return false;
    const auto has = [&](const char* word) { return line.find(word) != std::string_view::npos; };
    if (!has("step") && !has("iter") && !has("Step") && !has("Iter")) return false;
    const Json row = lenientJson(line);
    if (!row.is_object()) return false;
    const auto step = stepOf(row);
    if (!step) return false;
    tracking::MetricPoint at{*step, readMs, 0};
    for (const auto& [name, value] : row.items())
        if (const auto time = timeOf(name, value)) at.timestampMs = *time;
    for (const auto& [name, value] : row.items())
        if (!isStepName(name) && !timeOf(name, value)) addNumbers(name, value, at, into);
    return true;
}

}  // namespace dailies::sources
