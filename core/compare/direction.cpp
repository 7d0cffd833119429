#include "core/compare/direction.h"

#include "core/base/error.h"
#include "core/sweep/sweep.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

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

Direction directionOf(std::string_view metric, const Goals& goals) {
    if (const auto goal = goals.find(std::string(metric)); goal != goals.end()) return goal->second;
    std::string name(metric);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const auto mentions = [&](std::string_view word) { return name.find(word) != std::string::npos; };
    if (mentions("per_second") || mentions("per_sec")) return Direction::HigherIsBetter;
    static constexpr std::array<std::string_view, 15> kLower{
        "loss",       "error",   "fvd",  "fid",     "lpips",   "mse",      "mae",        "rmse",
        "perplexity", "seconds", "time", "latency", "entropy", "distance", "divergence",
    };
    return std::any_of(kLower.begin(), kLower.end(), mentions) ? Direction::LowerIsBetter
                                                               : Direction::HigherIsBetter;
}

bool isBetter(double value, double other, Direction direction) {
    if (std::isnan(value)) return false;
    if (std::isnan(other)) return true;
    return direction == Direction::LowerIsBetter ? value < other : value > other;
}

}  // namespace dailies::compare
