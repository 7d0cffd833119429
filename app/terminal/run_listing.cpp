#include "app/terminal/run_listing.h"

#include "app/terminal/match_by_id_or_name.h"
#include "app/terminal/print_json.h"
#include "app/terminal/table.h"
#include "core/base/clock.h"
#include "core/base/csv.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/query/query.h"
#include "core/tracking/run_time.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <map>
#include <set>

namespace dailies::app {

namespace {

std::string shownValue(double value) {
    if (!std::isfinite(value)) return csvNumber(value);
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.4g", value);
    return buffer;
}

std::string duration(const tracking::Run& run) {
    if (run.startMs == 0 || (run.status == tracking::RunStatus::Scheduled && !run.pausedSinceMs)) return "-";
    const auto seconds = tracking::trainingMs(run, unixMillis()) / 1000;
    if (seconds >= 3600) return durationText(1000 * seconds);
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

std::string valueOr(const tracking::KeyedValues<std::string>& values, const std::string& key,
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
    std::set<std::string> sweeps;
    for (const auto& run : runs) sweeps.insert(valueOr(run.tags, tracking::tag::kSweepName, "-"));
    const bool ofSeveral = sweeps.size() > 1;
    std::vector<std::string> header{"run", "name"};
    if (ofSeveral) header.push_back("sweep");
    header.push_back("status");
    for (const auto& key : shortKeys(params)) header.push_back(key);
    header.push_back("step");
    header.insert(header.end(), metrics.begin(), metrics.end());
    header.insert(header.end(), {"time", "reason"});
    Table table(header);
    for (const auto& run : runs) {
        std::vector<std::string> row{run.id.substr(0, 8), run.name};
        if (ofSeveral) row.push_back(valueOr(run.tags, tracking::tag::kSweepName, "-"));
        row.emplace_back(toText(run.status));
        for (const auto& key : params) row.push_back(valueOr(run.params, key, "-"));
        std::int64_t step = -1;
        for (const auto& [key, point] : run.metrics) step = std::max(step, point.step);
        row.push_back(step < 0 ? "-" : std::to_string(step));
        for (const auto& key : metrics) {
            const auto at = run.metrics.find(key);
            row.push_back(at == run.metrics.end() ? "-" : shownValue(at->second.value));
        }
        row.push_back(duration(run));
        row.push_back(valueOr(run.tags, tracking::tag::kReason, ""));
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
            std::cout << ',' << (at == run.metrics.end() ? "" : csvNumber(at->second.value));
        }
        std::cout << '\n';
    }
}

/// The same error with the text that was given and carets beneath what is wrong in it.
InputError pointingInto(const std::string& text, const query::QueryError& error) {
    const auto lines = split(query::caretSnippet(text, error.position(), error.length()), '\n');
    return InputError(std::string(error.what()) + "\n           " + join(lines, "\n           "),
                      error.remedy());
}

/// What `parse` makes of the text; errors show where it is wrong.
template <typename Parse>
auto parsed(const std::string& text, const query::Vocabulary& known, Parse&& parse) {
    try {
        return parse(text, known);
    } catch (const query::QueryError& error) {
        throw pointingInto(text, error);
    }
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
        printJson(list);
    } else if (format == "csv") {
        printCsv(runs);
    } else {
        printTable(runs, metric);
    }
}

void filterBySweep(std::vector<tracking::Run>& runs, const std::string& sweep) {
    if (sweep.empty()) return;
    runs = matchByIdOrName(
        runs, sweep, 1, [](const tracking::Run& run) { return valueOr(run.tags, tracking::tag::kSweep, ""); },
        [](const tracking::Run& run) { return valueOr(run.tags, tracking::tag::kSweepName, ""); });
}

void filterRuns(std::vector<tracking::Run>& runs, const std::string& text) {
    if (trim(text).empty()) return;
    const auto known = query::vocabularyOf(runs);
    const auto filter = parsed(text, known, query::parseFilter);
    if (!runs.empty())
        for (const auto& unknown : query::unknownKeys(filter, known))
            std::cerr << "dailies: " << unknown.message << '\n';
    std::erase_if(runs, [&](const tracking::Run& run) { return !query::matches(filter, run); });
}

void orderRuns(std::vector<tracking::Run>& runs, const std::string& text) {
    if (trim(text).empty()) return;
    query::sortRuns(runs, parsed(text, query::vocabularyOf(runs), query::parseOrderBy));
}

}  // namespace dailies::app
