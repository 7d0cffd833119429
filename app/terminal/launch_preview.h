#pragma once

#include "core/base/json.h"
#include "remote/follow/sweep_summary.h"
#include "remote/launch/assessed_launch.h"

#include <span>
#include <string>
#include <vector>

namespace dailies::app {

/// Prints on standard output the runs and what they repeat, the cost by the profile's price, the memory that
/// they need, what is amiss, the script.
void printLaunch(const remote::AssessedLaunch& launch, const remote::ClusterProfile& profile);
/// `notices`: sentences about how it was read, or differs from the launch that it repeats.
Json toJson(const remote::AssessedLaunch& launch, const remote::ClusterProfile& profile,
            const std::vector<std::string>& notices);

/// Prints one line for each sweep of a chain, and what all of them cost.
void printChain(std::span<const remote::AssessedLaunch> chain, const remote::ClusterProfile& profile);

/// Says on standard error how a sweep went: what was stopped and why.
void printSummary(const remote::SweepSummary& summary);

}  // namespace dailies::app
