#pragma once

#include "core/sweep/sweep.h"
#include "core/tracking/store.h"

#include <string>
#include <vector>

namespace dailies::remote {

/// A sweep of one run that repeats `run`, to be changed and launched: what its config has other than the
/// defaults, with the metric and the resources of the sweep that it came from where that is known. Of a run
/// that sampled another one, it repeats that one. Reads the store; for a worker thread. `notices` gets a
/// sentence for each thing that could not be taken over. Throws `InputError` when none of its params is this
/// program's.
sweep::Sweep makeFork(const tracking::Store& store, const tracking::Run& run,
                      std::vector<std::string>* notices = nullptr);

}  // namespace dailies::remote
