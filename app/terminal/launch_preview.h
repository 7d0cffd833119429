#pragma once

#include "remote/diagnostics/cluster_check.h"
#include "remote/fit/memory_check.h"
#include "remote/follow/sweep_summary.h"
#include "remote/launch/forecast.h"
#include "remote/launch/launch.h"

#include <string>
#include <vector>

namespace dailies::app {

/// Prints on standard output what a launch would do: the runs and what they repeat, the cost by the profile's
/// price, the memory that they need, what is amiss, the script; as "table" or "json".
void printPlan(const remote::LaunchPlan& plan, const remote::Forecast& forecast,
               const remote::ClusterProfile& profile, const remote::MemoryCheck& memory,
               const std::vector<remote::ClusterFinding>& findings, const std::vector<std::string>& notices,
               const std::string& format);

/// Says on standard error how a sweep went: what was stopped and why.
void printSummary(const remote::SweepSummary& summary);

}  // namespace dailies::app
