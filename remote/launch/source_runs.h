#pragma once

#include "core/sweep/sweep.h"
#include "core/tracking/store.h"

#include <string>
#include <vector>

// What jobs on runs that were launched before (sampling, scoring) need to know of them.
namespace dailies::remote {

/// Throws `InputError` naming a run that is not in the store.
tracking::Run requireRun(const tracking::Store& store, const std::string& runId);

/// The sweep that launched the run. Throws `InputError` where the store does not have it, or there is none.
tracking::SweepRecord requireSweep(const tracking::Store& store, const tracking::Run& run);

/// These runs, in this order. Throws `InputError` naming one that is not in the store or on no cluster, or
/// the clusters, where there are several. `purpose`: "sample", "score".
std::vector<tracking::Run> runsOfOneCluster(const tracking::Store& store,
                                            const std::vector<std::string>& runIds,
                                            const std::string& purpose);

/// The resources that one run of the sweep of the first of these runs had, for a single process.
sweep::Resources singleProcessResources(const tracking::Store& store, const std::vector<std::string>& runIds);

/// What the sweeps that trained these runs said of their environment, for a further job on them; empty: the
/// profile's. Throws `InputError` where they said different things, which no one job can follow.
sweep::Environment trainingEnvironment(const tracking::Store& store, const std::vector<std::string>& runIds);

/// A job's task as the store records it. Its experiment, name, params and further tags are the job's to add.
tracking::Run makeTaskRun(const std::string& jobId, const std::string& jobName, std::size_t task,
                          const std::string& cluster, const std::string& workspace);

/// A job's task on a run as the store records it: a child of that run. Its name, params and further tags are
/// the job's to add.
tracking::Run makeTaskRun(const tracking::Run& source, const std::string& jobId, const std::string& jobName,
                          std::size_t task, const std::string& cluster, const std::string& workspace);

}  // namespace dailies::remote
