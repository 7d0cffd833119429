#include "app/terminal/run_listing.h"

#include "app/terminal/table.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <map>
#include <optional>
#include <set>

namespace dailies::app {

namespace {

std::string shown(double value) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.4g", value);
    return buffer;
}

std::string duration(const tracking::Run& run) {
    if (run.startMs == 0 || run.status == tracking::RunStatus::Scheduled) return "-";
    const auto seconds = (run.endMs.value_or(unixMillis()) - run.startMs) / 1000;
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%lld:%02lld", static_cast<long long>(seconds / 60),
                  static_cast<long long>(seconds % 60));
    return buffer;
}

std::vector<std::string> paramsThatDiffer(const std::vector<tracking::Run>& runs) {
    std::map<std::string, std::set<std::string>> values;
    for (const auto& run : runs)
        for (const auto& [key, value] : run.params) values[key].insert(value);
    std::vector<std::string> keys;
    for (const auto& [key, found] : values)
        if (found.size() > 1 && keys.size() < 6) keys.push_back(key);
    return keys;
}

std::vector<std::string> metricsToShow(const std::vector<tracking::Run>& runs, const std::string& first) {
    std::vector<std::string> keys;
    for (const auto& key : {first, std::string("adherence"), std::string("loss")}) {
        const bool known =
            std::any_of(runs.begin(), runs.end(), [&](const auto& r) { return r.metrics.contains(key); });
        if (known && std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    }
    return keys;
}

std::string valueOr(const std::map<std::string, std::string>& values, const std::string& key,
                    const char* other) {
    const auto at = values.find(key);
    return at == values.end() || at->second.empty() ? other : at->second;
}

void printTable(const std::vector<tracking::Run>& runs, const std::string& metric) {
    if (runs.empty()) {
        std::cout << "No runs yet. `dailies launch SWEEP.yaml` makes some.\n";
        return;
    }
    const auto params = paramsThatDiffer(runs);
    const auto metrics = metricsToShow(runs, metric);
    std::vector<std::string> header{"run", "name", "status"};
    for (const auto& key : shortKeys(params)) header.push_back(key);
    header.push_back("step");
    header.insert(header.end(), metrics.begin(), metrics.end());
    header.insert(header.end(), {"time", "reason"});
    Table table(header);
    for (const auto& run : runs) {
        std::vector<std::string> row{run.id.substr(0, 8), inertText(run.name),
                                     std::string(toText(run.status))};
        for (const auto& key : params) row.push_back(inertText(valueOr(run.params, key, "-")));
        std::int64_t step = -1;
        for (const auto& [key, point] : run.metrics) step = std::max(step, point.step);
        row.push_back(step < 0 ? "-" : std::to_string(step));
        for (const auto& key : metrics) {
            const auto at = run.metrics.find(key);
            row.push_back(at == run.metrics.end() ? "-" : shown(at->second.value));
        }
        row.push_back(duration(run));
        row.push_back(inertText(valueOr(run.tags, tracking::tag::kReason, "")));
        table.add(std::move(row));
    }
    table.print(std::cout);
}

void printCsv(const std::vector<tracking::Run>& runs) {
    std::set<std::string> params, metrics;
    for (const auto& run : runs) {
        for (const auto& [key, value] : run.params) params.insert(key);
        for (const auto& [key, point] : run.metrics) metrics.insert(key);
    }
    std::cout << "run_id,name,status,start_time,end_time";
    for (const auto& key : params) std::cout << ',' << csvField("params." + key);
    for (const auto& key : metrics) std::cout << ',' << csvField("metrics." + key);
    std::cout << '\n';
    for (const auto& run : runs) {
        std::cout << run.id << ',' << csvField(run.name) << ',' << toText(run.status) << ',' << run.startMs
                  << ',' << (run.endMs ? std::to_string(*run.endMs) : "");
        for (const auto& key : params) std::cout << ',' << csvField(valueOr(run.params, key, ""));
        for (const auto& key : metrics) {
            const auto at = run.metrics.find(key);
            std::cout << ',' << (at == run.metrics.end() ? "" : shortNumber(at->second.value));
        }
        std::cout << '\n';
    }
}

/// What a run is ordered by: numbers where both sides are numbers, else text.
struct SortKey {
    std::optional<double> number;
    std::optional<std::string> text;
    bool present() const { return number || text; }
};

SortKey sortKey(const tracking::Run& run, const std::string& field) {
    if (field.starts_with("metrics.")) {
        const auto at = run.metrics.find(field.substr(8));
        if (at == run.metrics.end() || std::isnan(at->second.value)) return {};
        return {at->second.value, {}};
    }
    if (field.starts_with("params.") || field.starts_with("tags.")) {
        const auto& values = field.starts_with("params.") ? run.params : run.tags;
        const auto at = values.find(field.substr(field.find('.') + 1));
        if (at == values.end()) return {};
        char* end = nullptr;
        const double number = std::strtod(at->second.c_str(), &end);
        if (!at->second.empty() && *end == '\0') return {number, {}};
        return {{}, at->second};
    }
    if (field == "start_time") return {static_cast<double>(run.startMs), {}};
    if (field == "end_time") return run.endMs ? SortKey{static_cast<double>(*run.endMs), {}} : SortKey{};
    if (field == "name") return {{}, run.name};
    if (field == "status") return {{}, std::string(toText(run.status))};
    throw InputError(
        "Cannot order by \"" + inertText(field) + "\".",
        "Use metrics.KEY, params.KEY, tags.KEY, start_time, end_time, name or status, then ASC or DESC.");
}

}  // namespace

Json toJson(const tracking::Run& run) {
    Json json = {{"run_id", run.id},
                 {"name", run.name},
                 {"experiment", run.experiment},
                 {"status", toText(run.status)},
                 {"start_time", run.startMs},
                 {"end_time", run.endMs ? Json(*run.endMs) : Json(nullptr)}};
    Json& params = json["params"] = Json::object();
    for (const auto& [key, value] : run.params) params[key] = value;
    Json& metrics = json["metrics"] = Json::object();
    for (const auto& [key, point] : run.metrics) metrics[key] = numberToJson(point.value);
    Json& tags = json["tags"] = Json::object();
    for (const auto& [key, value] : run.tags) tags[key] = value;
    return json;
}

void printRuns(const std::vector<tracking::Run>& runs, const std::string& format, const std::string& metric) {
    if (format == "json") {
        Json list = Json::array();
        for (const auto& run : runs) list.push_back(toJson(run));
        std::cout << list.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
    } else if (format == "csv") {
        printCsv(runs);
    } else {
        printTable(runs, metric);
    }
}

void orderRuns(std::vector<tracking::Run>& runs, const std::string& orderBy) {
    const auto words = split(std::string(trim(orderBy)), ' ');
    if (words.empty()) return;
    const bool descending = words.size() > 1 && (words.back() == "DESC" || words.back() == "desc");
    const std::string& field = words.front();
    std::vector<std::pair<SortKey, std::size_t>> keys;
    for (std::size_t i = 0; i < runs.size(); ++i) keys.emplace_back(sortKey(runs[i], field), i);
    std::stable_sort(keys.begin(), keys.end(), [&](const auto& left, const auto& right) {
        const auto& a = left.first;
        const auto& b = right.first;
        if (a.present() != b.present()) return a.present();
        if (a.number && b.number) return descending ? *b.number < *a.number : *a.number < *b.number;
        if (a.number.has_value() != b.number.has_value()) return a.number.has_value();
        return descending ? b.text < a.text : a.text < b.text;
    });
    std::vector<tracking::Run> ordered;
    ordered.reserve(runs.size());
    for (const auto& [key, index] : keys) ordered.push_back(std::move(runs[index]));
    runs = std::move(ordered);
}

}  // namespace dailies::app
