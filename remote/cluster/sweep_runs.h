#pragma once

#include "core/tracking/store.h"

#include <string>
#include <vector>

namespace dailies::remote {

struct SweepRun {
    std::size_t task = 0;
    tracking::Run run;
};

/// A sweep's runs in the order of the array.
std::vector<SweepRun> sweepRuns(const tracking::Store& store, const std::string& sweepId);

/// Records under which job the sweep runs, and each run's task of it.
void recordSubmission(tracking::Store& store, const std::string& sweepId, const std::string& jobId);

/// The run's newest job: its own tag, else its task of the sweep's array; empty while nothing was submitted.
std::string jobOf(const tracking::Store& store, const tracking::Run& run);

}  // namespace dailies::remote
