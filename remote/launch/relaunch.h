#pragma once

#include "core/tracking/store.h"
#include "remote/launch/launch.h"
#include "remote/program/program.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace dailies::remote {

/// A launch that repeats an earlier one, and what could not be kept.
struct Relaunch {
    LaunchPlan plan;                       ///< with run ids of its own
    std::vector<std::string> differences;  ///< sentences; none: it is exactly the same
};

/// What is launched again: a sweep, or one run of it.
struct RelaunchTarget {
    std::string sweepId;
    std::optional<std::string> runId = {};
};

/// The same script as was sent, edits of it included, the same configs and the same version of the program:
/// of a whole sweep, or of one run of it. `present` is asked where that version is gone from the cluster.
/// Runs that a sweep decided on later follow anew from the new results. Throws `InputError` for what did not
/// train, or is of another cluster.
Relaunch planRelaunch(Cluster& cluster, const tracking::Store& store, const RelaunchTarget& target,
                      const PresentProgram& present, std::stop_token stop = {});

/// The run, or else its whole sweep. Throws `InputError` for one that Dailies did not launch.
RelaunchTarget relaunchTargetOf(const tracking::Store& store, const std::string& runId, bool wholeSweep);

/// The sweep that a person means: by id, the beginning of one, or name (the newest of that name). nullopt:
/// there is none.
std::optional<tracking::SweepRecord> findSweep(const tracking::Store& store, const std::string& idOrName);

}  // namespace dailies::remote
