#pragma once

#include "core/sweep/sweep.h"
#include "core/tracking/run_tags.h"
#include "core/tracking/store.h"
#include "remote/cluster/cluster.h"

#include <string>
#include <vector>

namespace dailies::remote {

/// The id of a sweep's run number `task`. It follows from the sweep's own, so that two programs which decide
/// on the same run at once make one run, not two.
std::string runIdOf(const std::string& sweepId, std::size_t task);

/// The row of a planned run before it is submitted.
tracking::Run recordOf(const Cluster& cluster, const tracking::SweepRecord& sweep,
                       const sweep::PlannedRun& planned, std::size_t task);

/// A run's config as params of the tracking store; `configOf` reads it back.
tracking::KeyedValues<std::string> paramsOf(const Json& config);

/// The value that a run has for each parameter of its sweep: what was recorded, else as its params say.
Json parameterValues(const sweep::Sweep& sweep, const tracking::Run& run);

/// The configuration that the run's params tell, as `config::resolve` takes it. Throws `InputError` for a
/// value that its key does not take.
Json configOf(const tracking::Run& run);

struct SweepRun {
    std::size_t task = 0;
    tracking::Run run;
};

/// A sweep's runs in the order of the array.
std::vector<SweepRun> sweepRuns(const tracking::Store& store, const std::string& sweepId);

/// Records under which job the sweep runs, and each run's task of it. Runs that the sweep decided on later
/// have jobs of their own.
void recordSubmission(tracking::Store& store, const std::string& sweepId, const std::string& jobId);

/// The run's newest job: its own tag, else its task of the sweep's array; empty while nothing was submitted.
std::string jobOf(const tracking::Store& store, const tracking::Run& run);
std::string jobOf(const tracking::Run& run, const std::string& sweepJob);

}  // namespace dailies::remote
