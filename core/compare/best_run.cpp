#include "core/compare/best_run.h"

#include "core/compare/rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>

namespace dailies::compare {

using sweep::Goal;

namespace {

using tracking::Run;

/// Lower comes first. Of a learning rate or a time no run is the best.
std::size_t rankOf(const std::string& metric, const Goals& goals) {
    static constexpr std::array<std::string_view, 8> kJudging{"adherence", "score", "fvd",  "quality",
                                                              "review/",   "val",   "eval", "loss"};
    if (goals.contains(metric)) return 0;
    for (std::size_t i = 0; i < kJudging.size(); ++i)
        if (metric.find(kJudging[i]) != std::string::npos) return i + 1;
    return kJudging.size() + 1;
}

double valueOf(const Run& run, const std::string& metric, const BestPoints& best) {
    if (const auto top = best.find({run.id, metric}); top != best.end()) return top->second.value;
    const auto last = run.metrics.find(metric);
    return last == run.metrics.end() ? std::nan("") : last->second.value;
}

}  // namespace

std::optional<BestRun> bestRun(const std::vector<const Run*>& runs, const BestPoints& best,
                               const Goals& goals) {
    std::set<std::pair<std::size_t, std::string>> metrics;
    for (const Run* run : runs)
        for (const auto& [key, point] : run->metrics)
            if (detail::isGoalKnown(key, goals)) metrics.emplace(rankOf(key, goals), key);
    for (const auto& [rank, metric] : metrics) {
        const Goal goal = goalOf(metric, goals);
        BestRun found{0, metric};
        std::size_t valued = 0;
        bool differ = false;
        double top = std::nan("");
        for (std::size_t i = 0; i < runs.size(); ++i) {
            const double value = valueOf(*runs[i], metric, best);
            if (std::isnan(value)) continue;
            differ |= valued > 0 && value != top;
            ++valued;
            if (isBetter(value, top, goal)) {
                top = value;
                found.run = i;
            }
        }
        if (valued > 1 && differ) return found;
    }
    return std::nullopt;
}

}  // namespace dailies::compare
