#pragma once

#include "core/base/json.h"
#include "remote/diagnostics/cluster_check.h"
#include "remote/fit/memory_check.h"
#include "remote/follow/sweep_summary.h"
#include "remote/launch/forecast.h"
#include "remote/launch/launch.h"

#include <string>
#include <vector>

namespace dailies::app {

/// What a launch would do, and what there is to say of it.
struct PlanToShow {
    const remote::LaunchPlan& plan;
    const remote::Forecast& forecast;
    const remote::ClusterProfile& profile;
    remote::MemoryCheck memory;
    std::vector<remote::ClusterFinding> findings;
    std::vector<std::string> notices;
};

/// Prints on standard output the runs and what they repeat, the cost by the profile's price, the memory that
/// they need, what is amiss, the script.
void printPlan(const PlanToShow& shown);
Json toJson(const PlanToShow& shown);

/// Prints one line for each sweep of a chain, and what all of them cost.
void printChain(const std::vector<remote::LaunchPlan>& chain, const std::vector<remote::Forecast>& forecasts,
                const remote::ClusterProfile& profile);

/// Says on standard error how a sweep went: what was stopped and why.
void printSummary(const remote::SweepSummary& summary);

}  // namespace dailies::app
