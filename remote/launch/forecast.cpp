#include "remote/launch/forecast.h"

#include "core/base/counts.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/tracking/run_time.h"
#include "remote/cluster/sweep_runs.h"
#include "remote/program/program.h"

#include <queue>

#include <algorithm>
#include <functional>

namespace dailies::remote {

namespace {

namespace tag = tracking::tag;

template <class Map>
std::string fingerprint(const Map& params, const std::function<bool(const std::string&)>& counts) {
    std::string text;
    for (const auto& [key, value] : params)
        if (counts(key)) text += key + '=' + value + '\n';
    return text;
}

bool setsSize(const std::string& key) {
    return key.starts_with("model.") || key.starts_with("data.") || key == "runtime.precision";
}

/// What decides how long a step takes.
template <class Map>
std::string sizesOf(const Map& params, const sweep::Resources& r) {
    return fingerprint(params, setsSize) + std::to_string(r.nodes) + ' ' + std::to_string(r.ranksPerNode) +
           ' ' + std::to_string(r.cpusPerRank) + ' ' + std::to_string(r.gpusPerNode);
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

/// When the last of the runs ends, each beginning when one of the places is free.
double lastEnd(const std::vector<double>& seconds, std::size_t places) {
    std::priority_queue<double, std::vector<double>, std::greater<>> free;
    double last = 0;
    for (const double time : seconds) {
        double begin = 0;
        if (free.size() >= places) {
            begin = free.top();
            free.pop();
        }
        free.push(begin + time);
        last = std::max(last, begin + time);
    }
    return last;
}

std::string shown(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", value);
    return text;
}

}  // namespace

PastRuns::PastRuns(const tracking::Store& store, const std::string& cluster) : m_cluster(cluster) {
    std::map<std::string, sweep::Sweep> sweeps;
    for (const tracking::SweepRecord& record : store.sweeps()) {
        try {
            sweeps[record.id] = sweep::parseSweep(record.yaml, record.name);
        } catch (const InputError&) {
            continue;  // made by a program that knew other keys
        }
    }
    const auto all = [](const std::string&) { return true; };
    const auto runs = store.runs();
    std::map<std::string, double> lastSteps;  // by sweep
    for (const tracking::Run& run : runs) {
        auto& last = lastSteps[tagOf(run, tag::kSweep)];
        if (const auto steps = run.params.find("steps"); steps != run.params.end())
            last = std::max(last, std::atof(steps->second.c_str()));
    }
    for (const tracking::Run& run : runs) {
        const bool finished = run.status == tracking::RunStatus::Finished;
        if (finished || tracking::isActive(run.status))
            m_names.emplace(fingerprint(run.params, all), run.name);
        const auto steps = run.params.find("steps");
        const auto sweep = sweeps.find(tagOf(run, tag::kSweep));
        if (!finished || !run.endMs || steps == run.params.end() || sweep == sweeps.end() ||
            tagOf(run, tag::kCluster) != cluster)
            continue;
        const auto& after = sweep->second.after;
        const double before = after && after->fromCheckpoint ? lastSteps[after->sweep] : 0;
        const double count = std::atof(steps->second.c_str()) - before;
        const double seconds = static_cast<double>(tracking::trainingMs(run, *run.endMs)) / 1000;
        if (count < 1 || seconds <= 0) continue;
        m_bySizes[sizesOf(run.params, sweep->second.resources)].push_back(seconds / count);
        m_all.push_back(seconds / count);
    }
}

PastRuns::Speed PastRuns::estimateSpeed(const Json& config, const sweep::Resources& resources) const {
    if (const auto at = m_bySizes.find(sizesOf(paramsOf(config), resources)); at != m_bySizes.end())
        return {median(at->second), at->second.size(), true};
    if (!m_all.empty()) return {median(m_all), m_all.size(), false};
    return {};
}

std::string PastRuns::sameRun(const Json& config) const {
    const auto at = m_names.find(fingerprint(paramsOf(config), [](const std::string&) { return true; }));
    return at == m_names.end() ? std::string() : at->second;
}

std::set<std::size_t> Forecast::repeatedRuns() const {
    std::set<std::size_t> repeated;
    for (std::size_t i = 0; i < duplicateInStore.size(); ++i)
        if (!duplicateInStore[i].empty() || !duplicateInSweep[i].empty()) repeated.insert(i);
    return repeated;
}

Forecast forecast(const sweep::Sweep& sweep, const std::vector<sweep::PlannedRun>& runs, const PastRuns& past,
                  std::int64_t stepsBefore) {
    const Program& program = programOf(sweep);
    Forecast result;
    result.stepsBefore = stepsBefore;
    result.runs = sweep::isAdaptive(sweep) ? sweep::runCountOf(sweep) : runs.size();
    std::map<std::string, std::string> seen;
    std::vector<double> seconds;
    std::size_t basedOn = 0;
    bool sameSizes = true;
    double sum = 0, spared = 0, perStep = 0;
    for (const sweep::PlannedRun& run : runs) {
        const auto [first, isNew] = seen.emplace(run.config.dump(), run.name);
        result.duplicateInSweep.push_back(isNew ? std::string() : first->second);
        result.duplicateInStore.push_back(past.sameRun(run.config));
        auto steps = program.plannedSteps(run.config);
        if (steps) *steps = std::max<std::int64_t>(0, *steps - stepsBefore);
        if (!steps) {
            result.basis = "How long a run of " + sanitizedText(program.name(sweep)) + " takes is not known.";
            continue;
        }
        const auto speed = past.estimateSpeed(run.config, sweep.resources);
        basedOn = std::max(basedOn, speed.runs);
        sameSizes = sameSizes && speed.sameSizes;
        perStep = speed.secondsPerStep;
        seconds.push_back(speed.secondsPerStep * static_cast<double>(*steps));
        sum += seconds.back();
        if (sweep.earlyStop) spared += seconds.back() * (1 - sweep::expectedShare(*sweep.earlyStop, *steps));
    }
    result.known = basedOn > 0 && !runs.empty();
    if (!result.basis.empty()) return result;
    if (!result.known) {
        result.basis = "No earlier run" + (past.cluster().empty() ? "" : " on " + past.cluster()) +
                       " to estimate from: the duration is unknown.";
        return result;
    }
    const double mean = sum / static_cast<double>(runs.size());
    while (seconds.size() < result.runs)
        seconds.push_back(mean);  // what follows from results is like the first
    const auto& r = sweep.resources;
    const double total = mean * static_cast<double>(seconds.size());
    result.gpuHours = total * r.nodes * r.gpusPerNode / 3600;
    result.cpuHours = total * r.nodes * r.ranksPerNode * r.cpusPerRank / 3600;
    result.seconds = lastEnd(seconds, static_cast<std::size_t>(std::max(1, r.parallelRuns)));
    result.savedShare = sum > 0 ? spared / sum : 0;
    result.basis =
        sameSizes
            ? "By " + pluralize(static_cast<long long>(basedOn), "finished run", "finished runs") +
                  " of the same sizes on " + past.cluster() + ": " + shown(perStep) +
                  " s a step. Waiting in the queue is not included."
            : "Roughly, by " + pluralize(static_cast<long long>(basedOn), "finished run", "finished runs") +
                  " of other sizes on " + past.cluster() + ". Waiting in the queue is not included.";
    return result;
}

std::vector<Forecast> forecastChain(std::span<const LaunchPlan> chain, const PastRuns& past) {
    std::vector<Forecast> forecasts;
    std::int64_t end = 0;  // of the one before
    for (const auto& plan : chain) {
        const auto& after = plan.sweep.after;
        forecasts.push_back(forecast(plan.sweep, plan.runs, past, after && after->fromCheckpoint ? end : 0));
        end = programOf(plan.sweep).plannedSteps(plan.runs.front().config).value_or(0);
    }
    return forecasts;
}

}  // namespace dailies::remote
