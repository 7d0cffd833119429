#include "remote/follow/sweep_summary.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/sweep/sweep.h"
#include "remote/cluster/sweep_runs.h"

#include <cmath>
#include <cstdlib>

namespace dailies::remote {

namespace tag = tracking::tag;
using tracking::RunStatus;

SweepSummary summarize(const tracking::Store& store, const std::string& sweepId) {
    SweepSummary summary;
    const auto record = store.sweep(sweepId);
    if (!record) return summary;
    summary.name = record->name;
    std::string metric;
    bool minimize = true;
    try {
        const auto sweep = sweep::parseSweep(record->yaml, record->name);
        metric = sweep.metric;
        minimize = sweep.goal == sweep::Goal::Minimize;
    } catch (const InputError&) {
        // made by a program that knew other keys: its runs are counted all the same
    }
    double best = 0;
    for (const auto& [task, run] : sweepRuns(store, sweepId)) {
        ++summary.runs;
        const std::string why = tagOf(run, tag::kStoppedWhy);
        const bool stopped = run.status == RunStatus::Killed && !why.empty();
        summary.finished += run.status == RunStatus::Finished;
        summary.failed += run.status == RunStatus::Failed;
        summary.active += tracking::isActive(run.status);
        summary.killed += run.status == RunStatus::Killed && !stopped;
        if (stopped) summary.stopped.push_back({run.name, why});
        if (!tracking::isActive(run.status)) {
            std::int64_t reached = 0;
            for (const auto& [key, point] : run.metrics) reached = std::max(reached, point.step);
            const auto steps = run.params.find("steps");
            const std::int64_t planned = steps == run.params.end() ? 0 : std::atoll(steps->second.c_str());
            summary.stepsTrained += std::min(reached, planned);
            summary.stepsPlanned += planned;
        }
        const auto value = run.metrics.find(metric);
        if (value == run.metrics.end() || !std::isfinite(value->second.value) || stopped) continue;
        const double now = value->second.value;
        if (!summary.best.empty() && (minimize ? now >= best : now <= best)) continue;
        best = now;
        char text[32];
        std::snprintf(text, sizeof text, "%.4g", now);
        summary.best = run.name + " with " + metric + " " + text;
    }
    return summary;
}

std::string SweepSummary::text() const {
    std::vector<std::string> parts;
    const auto part = [&](std::size_t count, const char* word) {
        if (count > 0) parts.push_back(std::to_string(count) + " " + word);
    };
    part(finished, "finished");
    std::string spared;
    if (!stopped.empty() && stepsPlanned > 0)
        spared = ", saving " +
                 std::to_string(std::lround(100 - 100.0 * static_cast<double>(stepsTrained) /
                                                      static_cast<double>(stepsPlanned))) +
                 " % of the steps";
    part(failed, "failed");
    part(killed, "cancelled");
    part(active, "still active");
    if (!stopped.empty()) parts.push_back(std::to_string(stopped.size()) + " stopped early" + spared);
    return std::to_string(runs) + (runs == 1 ? " run: " : " runs: ") + join(parts, ", ") + "." +
           (best.empty() ? "" : " Best: " + sanitizedText(best) + ".");
}

}  // namespace dailies::remote
