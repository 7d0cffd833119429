#include "core/compare/goals.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/compare/rows.h"
#include "core/sweep/sweep.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace dailies::compare {

using sweep::Goal;

Goals goalsOf(const std::vector<tracking::SweepRecord>& sweeps) {
    Goals goals;
    for (const auto& record : sweeps) {
        try {
            const auto sweep = sweep::parseSweep(record.yaml, record.name);
            if (!sweep.metric.empty()) goals.emplace(sweep.metric, sweep.goal);
        } catch (const Error&) {
            // Its metric is judged by its name instead.
        }
    }
    return goals;
}

namespace {

/// What the name alone suggests; nullopt for a name that says nothing.
std::optional<Goal> goalFromName(std::string_view metric) {
    const std::string name = lowered(metric);
    const auto mentions = [&](std::string_view word) { return name.find(word) != std::string::npos; };
    // "samples_per_second" mentions seconds, so these come first.
    static constexpr std::array<std::string_view, 15> kHigher{
        "per_sec", "adherence", "accuracy", "score",     "psnr",       "ssim",    "throughput", "reward",
        "auc",     "f1",        "recall",   "precision", "similarity", "quality", "review/",
    };
    static constexpr std::array<std::string_view, 16> kLower{
        "loss",       "error",   "fvd",  "fid",     "lpips",   "mse",      "mae",        "rmse",
        "perplexity", "seconds", "time", "latency", "entropy", "distance", "divergence", "flicker",
    };
    if (std::any_of(kHigher.begin(), kHigher.end(), mentions)) return Goal::Maximize;
    if (std::any_of(kLower.begin(), kLower.end(), mentions)) return Goal::Minimize;
    return std::nullopt;
}

}  // namespace

Goal goalOf(std::string_view metric, const Goals& goals) {
    if (const auto goal = goals.find(std::string(metric)); goal != goals.end()) return goal->second;
    return goalFromName(metric).value_or(Goal::Maximize);
}

bool detail::isGoalKnown(std::string_view metric, const Goals& goals) {
    return goals.contains(std::string(metric)) || goalFromName(metric).has_value();
}

}  // namespace dailies::compare
