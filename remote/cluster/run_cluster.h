#pragma once

#include "core/tracking/store.h"
#include "remote/cluster/cluster.h"

#include <string>

// On which cluster a run is. The window and the command line refuse by these alone, so both say the same.
namespace dailies::remote {

/// The name of the cluster's profile. Throws `InputError` for a run that has none, because Dailies did not
/// launch it.
std::string clusterOf(const tracking::Run& run);

/// Throws `InputError` unless the run is on `connected` (null: on none), for what is asked of that cluster.
void requireConnected(const Cluster* connected, const tracking::Run& run);
void requireConnected(const Cluster* connected, const tracking::SweepRecord& sweep);

}  // namespace dailies::remote
