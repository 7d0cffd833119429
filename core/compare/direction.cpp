#include "core/compare/direction.h"

#include "core/base/error.h"
#include "core/compare/rows.h"
#include "core/sweep/sweep.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <optional>

namespace dailies::compare {

Goals goalsOf(const std::vector<tracking::SweepRecord>& sweeps) {
    Goals goals;
    for (const auto& record : sweeps) {
        try {
            const auto sweep = sweep::parseSweep(record.yaml, record.name);
            if (!sweep.metric.empty())
                goals.emplace(sweep.metric, sweep.goal == sweep::Goal::Maximize ? Direction::HigherIsBetter
                                                                                : Direction::LowerIsBetter);
        } catch (const Error&) {
            // Its metric is judged by its name instead.
        }
    }
    return goals;
}

namespace {

/// What the name alone suggests; nullopt for a name that says nothing.
std::optional<Direction> directionOfName(std::string_view metric) {
    std::string name(metric);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const auto mentions = [&](std::string_view word) { return name.find(word) != std::string::npos; };
    // "samples_per_second" mentions seconds, so these come first.
    static constexpr std::array<std::string_view, 15> kHigher{
        "per_sec", "adherence", "accuracy", "score",     "psnr",       "ssim",    "throughput", "reward",
        "auc",     "f1",        "recall",   "precision", "similarity", "quality", "review/",
    };
    static constexpr std::array<std::string_view, 15> kLower{
        "loss",       "error",   "fvd",  "fid",     "lpips",   "mse",      "mae",        "rmse",
        "perplexity", "seconds", "time", "latency", "entropy", "distance", "divergence",
    };
    if (std::any_of(kHigher.begin(), kHigher.end(), mentions)) return Direction::HigherIsBetter;
    if (std::any_of(kLower.begin(), kLower.end(), mentions)) return Direction::LowerIsBetter;
    return std::nullopt;
}

}  // namespace

Direction directionOf(std::string_view metric, const Goals& goals) {
    if (const auto goal = goals.find(std::string(metric)); goal != goals.end()) return goal->second;
    return directionOfName(metric).value_or(Direction::HigherIsBetter);
}

bool detail::isDirectionKnown(std::string_view metric, const Goals& goals) {
    return goals.contains(std::string(metric)) || directionOfName(metric).has_value();
}

bool isBetter(double value, double other, Direction direction) {
    if (std::isnan(value)) return false;
    if (std::isnan(other)) return true;
    return direction == Direction::LowerIsBetter ? value < other : value > other;
}

}  // namespace dailies::compare
