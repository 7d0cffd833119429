#include "remote/launch/assessed_launch.h"

#include "remote/launch/launch_check.h"
#include "remote/program/program.h"

#include <utility>

namespace dailies::remote {

std::vector<AssessedLaunch> assess(std::vector<LaunchPlan> chain, const PastRuns& past,
                                   const ClusterProfile& profile, const slurm::ClusterFacts* facts) {
    auto forecasts = forecastChain(chain, past);
    std::vector<AssessedLaunch> assessed;
    for (std::size_t i = 0; i < chain.size(); ++i) {
        auto& plan = chain[i];
        auto findings = checkOffline(plan.sweep, plan.runs.size(), profile, facts);
        auto memory = programOf(plan.sweep).memory(plan.sweep, plan.runs, profile, facts);
        assessed.push_back(
            {std::move(plan), std::move(forecasts[i]), std::move(memory), std::move(findings)});
    }
    return assessed;
}

Forecast totalOf(std::span<const AssessedLaunch> chain) {
    if (chain.size() == 1) return chain.front().forecast;
    Forecast total;
    total.known = !chain.empty();
    for (const auto& launch : chain) {
        const auto& one = launch.forecast;
        total.runs += one.runs;
        total.known = total.known && one.known;
        total.gpuHours += one.gpuHours;
        total.cpuHours += one.cpuHours;
        total.seconds += one.seconds;
        if (total.basis.empty() || !one.known) total.basis = one.basis;
    }
    return total;
}

}  // namespace dailies::remote
