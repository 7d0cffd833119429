#include "ui/wall/wall_axes.h"

#include "core/base/numbers.h"
#include "core/base/text.h"
#include "ui/widgets/widgets.h"

#include <QObject>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace dailies::ui {

namespace {

bool saysRun(WallAxis axis) {
    return axis == WallAxis::Run || axis == WallAxis::Param;
}

bool saysPrompt(WallAxis axis) {
    return axis == WallAxis::Prompt || axis == WallAxis::PromptAndSeed;
}

bool saysSeed(WallAxis axis) {
    return axis == WallAxis::Seed || axis == WallAxis::PromptAndSeed;
}

/// "nan" is a word: as a number it would have no place in an order.
std::optional<double> asNumber(const std::string& text) {
    const auto value = parseAs<double>(text);
    return value && !std::isnan(*value) ? value : std::nullopt;
}

/// Numbers by their value and before words; "1e-05" is less than "0.001".
bool byValue(const std::string& a, const std::string& b) {
    const auto x = asNumber(a), y = asNumber(b);
    if (x && y) return *x < *y;
    if (x || y) return x.has_value();
    return a < b;
}

std::vector<std::string> runsInOrder(const ReviewData& data, const std::string& metric) {
    std::vector<std::string> ids;
    for (const int i : data.order(metric)) ids.push_back(data.runs[static_cast<std::size_t>(i)].id);
    return ids;
}

/// Adds a run's resamples to the runs that may stand in a place, the newest first.
void stack(AxisItem& place, const ReviewData& data, const std::string& runId) {
    const auto resamples = data.resamplesOf(runId);
    for (auto resample = resamples.rbegin(); resample != resamples.rend(); ++resample)
        place.runIds.push_back((*resample)->id);
}

std::vector<AxisItem> placesOfRuns(const ReviewData& data, const std::string& metric,
                                   const std::set<std::string>& expanded) {
    std::vector<AxisItem> places;
    for (const std::string& id : runsInOrder(data, metric)) {
        if (data.resamples.contains(id)) continue;
        places.push_back({.id = id, .runIds = {id}});
        if (!expanded.contains(id))
            stack(places.back(), data, id);
        else
            for (const tracking::Run* resample : data.resamplesOf(id))
                places.push_back({.id = resample->id, .runIds = {resample->id}});
    }
    return places;
}

std::vector<AxisItem> placesOfParam(const ReviewData& data, const std::string& param,
                                    const std::string& metric) {
    // A run that lacks the param stands in a place of its own, under no value.
    std::map<std::string, AxisItem, decltype(&byValue)> byParam(&byValue);
    for (const int i : data.order(metric.empty() ? data.sweepMetric : metric)) {
        const tracking::Run& run = data.runs[static_cast<std::size_t>(i)];
        if (data.resamples.contains(run.id)) continue;  // whose params are of another kind
        const auto found = run.params.find(param);
        const std::string value = found == run.params.end() ? std::string() : found->second;
        AxisItem& place = byParam[value];
        place.id = value;
        place.value = value;
        place.runIds.push_back(run.id);
    }
    std::vector<AxisItem> places;
    for (auto& [value, place] : byParam) {
        for (const std::string& id : std::vector(place.runIds)) stack(place, data, id);
        places.push_back(std::move(place));
    }
    return places;
}

/// The runs that both places allow, the likeliest first.
std::vector<std::string> runsAt(const ReviewData& data, const WallArrangement& arrangement,
                                const AxisItem& column, const AxisItem& row) {
    if (!column.runIds.empty() && !row.runIds.empty()) {
        std::vector<std::string> both;
        for (const std::string& id : column.runIds)
            if (std::find(row.runIds.begin(), row.runIds.end(), id) != row.runIds.end()) both.push_back(id);
        return both;
    }
    if (!column.runIds.empty()) return column.runIds;
    if (!row.runIds.empty()) return row.runIds;
    if (data.run(arrangement.runId)) return {arrangement.runId};
    return runsInOrder(data, arrangement.metric.empty() ? data.sweepMetric : arrangement.metric);
}

/// The prompt and seed there: those that the places say, else the held ones, else the first that exist.
std::optional<ReviewRow> rowAt(const ReviewData& data, const WallArrangement& arrangement,
                               const AxisItem& column, const AxisItem& row) {
    const auto prompt = column.prompt ? column.prompt : row.prompt;
    const auto seed = column.seed ? column.seed : row.seed;
    if (prompt && seed) return ReviewRow{*prompt, *seed};
    const ReviewRow* best = nullptr;
    int bestMatches = -1;
    for (const ReviewRow& candidate : data.rows) {
        if ((prompt && candidate.prompt != *prompt) || (seed && candidate.seed != *seed)) continue;
        const int matches =
            2 * (candidate.prompt == arrangement.prompt) + (arrangement.seed == candidate.seed);
        if (matches > bestMatches) {
            best = &candidate;
            bestMatches = matches;
        }
    }
    return best ? std::optional(*best) : std::nullopt;
}

}  // namespace

QString axisName(const AxisChoice& choice) {
    switch (choice.axis) {
        case WallAxis::Run:
            return QObject::tr("Run");
        case WallAxis::Step:
            return QObject::tr("Training step");
        case WallAxis::PromptAndSeed:
            return QObject::tr("Prompt and seed");
        case WallAxis::Prompt:
            return QObject::tr("Prompt");
        case WallAxis::Seed:
            return QObject::tr("Seed");
        case WallAxis::Param:
            break;
    }
    return sanitized(choice.param.substr(choice.param.rfind('.') + 1));
}

std::vector<AxisChoice> axisChoices(const ReviewData& data) {
    std::vector<AxisChoice> choices{
        {WallAxis::Run}, {WallAxis::Step}, {WallAxis::PromptAndSeed}, {WallAxis::Prompt}, {WallAxis::Seed}};
    for (const std::string& param : data.differing) choices.push_back({WallAxis::Param, param});
    return choices;
}

bool canCombine(const AxisChoice& a, const AxisChoice& b) {
    if (a == b) return false;
    const bool bothParams = a.axis == WallAxis::Param && b.axis == WallAxis::Param;
    if (saysRun(a.axis) && saysRun(b.axis) && !bothParams) return false;
    return !(saysPrompt(a.axis) && saysPrompt(b.axis)) && !(saysSeed(a.axis) && saysSeed(b.axis));
}

std::vector<AxisItem> axisItems(const ReviewData& data, const AxisChoice& axis, const std::string& metric,
                                const std::set<std::string>& expanded) {
    std::vector<AxisItem> places;
    switch (axis.axis) {
        case WallAxis::Run:
            return placesOfRuns(data, metric, expanded);
        case WallAxis::Step:
            for (const std::int64_t step : data.steps)
                places.push_back({.id = std::to_string(step), .step = step});
            break;
        case WallAxis::PromptAndSeed:
            for (const ReviewRow& row : data.rows)
                places.push_back({.id = std::to_string(row.seed) + ' ' + row.prompt,
                                  .prompt = row.prompt,
                                  .seed = row.seed});
            break;
        case WallAxis::Prompt: {
            std::set<std::string> seen;
            for (const ReviewRow& row : data.rows)
                if (seen.insert(row.prompt).second)
                    places.push_back({.id = row.prompt, .prompt = row.prompt});
            break;
        }
        case WallAxis::Seed: {
            std::set<std::int64_t> seeds;
            for (const ReviewRow& row : data.rows) seeds.insert(row.seed);
            for (const std::int64_t seed : seeds)
                places.push_back({.id = std::to_string(seed), .seed = seed});
            break;
        }
        case WallAxis::Param:
            return placesOfParam(data, axis.param, metric);
    }
    return places;
}

CellClip resolveCell(const ReviewData& data, const WallArrangement& arrangement, const AxisItem& column,
                     const AxisItem& row) {
    const auto place = rowAt(data, arrangement, column, row);
    const auto exactStep = column.step ? column.step : row.step;
    const std::int64_t step = exactStep.value_or(arrangement.step);
    CellClip found;
    if (place) found.row = *place;
    for (const std::string& id : runsAt(data, arrangement, column, row)) {
        const tracking::Run* run = data.run(id);
        if (!found.run) found.run = run;  // the likeliest stands there even when none has a clip
        if (!place || !run) continue;
        const tracking::ClipRecord* clip = data.clip(id, *place, step);
        // Where a step has a place of its own, an earlier clip would only stand there twice.
        if (!clip || (exactStep && clip->step != *exactStep)) continue;
        // The last clip of a run that has ended is as new as it gets, whatever step others have come to.
        const bool isLast = !tracking::isActive(run->status) && data.newestStep(id, *place) == clip->step;
        return {run, *place, clip, clip->step != step && !isLast};
    }
    return found;
}

}  // namespace dailies::ui
