#include "core/sources/json_row.h"

#include "core/base/numbers.h"
#include "core/base/text.h"
#include "core/sources/wandb_values.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>

namespace dailies::sources {

namespace {

std::optional<double> numberOf(const ForeignJson& value) {
    if (value.is_number()) return value.get<double>();
    if (!value.is_string()) return std::nullopt;
    constexpr std::array<std::string_view, 6> kNames = {"NaN", "Infinity", "-Infinity", "nan", "inf", "-inf"};
    const auto& text = value.get_ref<const std::string&>();
    if (std::find(kNames.begin(), kNames.end(), text) == kNames.end()) return std::nullopt;
    return parseNumber(text);
}

std::optional<std::int64_t> stepOf(const ForeignJson& row) {
    for (const auto& [name, value] : row.items()) {
        if (!isStepName(name) || !value.is_number()) continue;
        if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX) continue;
        if (value.is_number_integer()) return value.get<std::int64_t>();
        const double step = value.get<double>();
        if (step == std::floor(step) && std::fabs(step) < 9e15) return static_cast<std::int64_t>(step);
    }
    return std::nullopt;
}

/// "2026-01-31T10:20:30.5+01:00" as unix ms; without a zone it is UTC.
std::optional<std::int64_t> isoMillis(std::string_view text) {
    const auto take = [&](std::size_t digits, std::string_view before) -> std::optional<int> {
        if (!text.starts_with(before) || text.size() < before.size() + digits) return std::nullopt;
        const auto number = parseInteger(text.substr(before.size(), digits));
        if (!number || *number < 0) return std::nullopt;
        text.remove_prefix(before.size() + digits);
        return static_cast<int>(*number);
    };
    const auto year = take(4, ""), month = take(2, "-"), day = take(2, "-");
    if (!year || !month || !day || text.empty()) return std::nullopt;
    const auto hour = take(2, text.substr(0, 1)), minute = take(2, ":"), second = take(2, ":");
    if (!hour || !minute || !second) return std::nullopt;
    const std::chrono::year_month_day date(std::chrono::year(*year),
                                           std::chrono::month(static_cast<unsigned>(*month)),
                                           std::chrono::day(static_cast<unsigned>(*day)));
    if (!date.ok()) return std::nullopt;
    std::int64_t ms = std::chrono::sys_days(date).time_since_epoch().count() * std::int64_t{86'400'000} +
                      ((*hour * 60 + *minute) * 60 + *second) * std::int64_t{1'000};
    if (text.starts_with('.')) {
        const auto digits = std::min(text.find_first_not_of("0123456789", 1), text.size()) - 1;
        ms += std::llround(parseNumber("0." + std::string(text.substr(1, digits))).value_or(0) * 1'000);
        text.remove_prefix(digits + 1);
    }
    if (text.empty() || text == "Z") return ms;
    const int sign = text.front() == '-' ? -1 : 1;
    const auto hours = take(2, text.substr(0, 1)), minutes = take(2, ":");
    if (!hours || !minutes) return std::nullopt;
    return ms - sign * (*hours * 60 + *minutes) * std::int64_t{60'000};
}

/// Unix time in seconds or milliseconds, or a date, under one of the usual names.
std::optional<std::int64_t> timeOf(std::string_view name, const ForeignJson& value) {
    constexpr std::array<std::string_view, 5> kNames = {"timestamp", "_timestamp", "time", "ts", "wall_time"};
    if (std::find(kNames.begin(), kNames.end(), name) == kNames.end()) return std::nullopt;
    if (value.is_string()) return isoMillis(value.get_ref<const std::string&>());
    if (!value.is_number()) return std::nullopt;
    const double time = value.get<double>();
    if (!(time > 1e8 && time < 1e14)) return std::nullopt;  // a duration, or no date of these centuries
    return std::llround(time < 1e11 ? time * 1000.0 : time);
}

/// trackio's video in what was logged: its path is below the folder media, beside the fragments' inbox/….
bool addTrackioVideo(const std::string& key, const ForeignJson& value, const tracking::MetricPoint& at,
                     Collector& into) {
    const auto textOf = [&](const char* name) {
        const auto text = value.find(name);
        return text != value.end() && text->is_string() ? text->get<std::string>() : std::string();
    };
    if (!value.is_object()) return false;
    const auto type = textOf("_type");
    if (!type.starts_with("trackio.")) return false;
    if (type == "trackio.video" && !textOf("file_path").empty())
        into.media({.key = key,
                    .path = "../../media/" + textOf("file_path"),
                    .caption = textOf("caption"),
                    .type = type,
                    .step = at.step,
                    .timestampMs = at.timestampMs});
    return true;
}

void addNumbers(const std::string& key, const ForeignJson& value, const tracking::MetricPoint& at,
                Collector& into) {
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
    const std::string lower = lowered(name.substr(0, 16));
    return std::find(kNames.begin(), kNames.end(), lower) != kNames.end();
}

bool readJsonRow(std::string_view line, std::int64_t readMs, Collector& into) {
    // most lines of other files are no metrics, and parsing costs
    if (!line.starts_with('{')) return false;
    const auto has = [&](const char* word) { return line.find(word) != std::string_view::npos; };
    if (!has("step") && !has("iter") && !has("Step") && !has("Iter")) return false;
    const ForeignJson row = lenientJson(line);
    if (!row.is_object()) return false;
    const auto step = stepOf(row);
    if (!step) return false;
    tracking::MetricPoint at{*step, readMs, 0};
    for (const auto& [name, value] : row.items())
        if (const auto time = timeOf(name, value)) at.timestampMs = *time;
    // trackio has what was logged in an object of its own, beside what it says of it
    const auto logged = row.find("metrics");
    const bool isTrackio = row.contains("log_id") && logged != row.end() && logged->is_object();
    for (const auto& [name, value] : (isTrackio ? *logged : row).items())
        if (!isStepName(name) && !timeOf(name, value) &&
            !(isTrackio && addTrackioVideo(name, value, at, into)))
            addNumbers(name, value, at, into);
    if (const auto config = row.find("config"); isTrackio && config != row.end() && config->is_object())
        for (const auto& [name, value] : config->items())
            if (!name.starts_with('_'))
                flattenConfig(name, value, [&](const std::string& key, std::string text) {
                    into.param(key, std::move(text));
                });
    return true;
}

}  // namespace dailies::sources
