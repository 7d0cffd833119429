#pragma once

#include "core/sweep/sweep.h"
#include "core/tracking/store.h"

namespace dailies::ui {

/// A sweep of one run that repeats `run`, to be changed and launched: its params as fixed values, with the
/// metric and the resources of the sweep that it came from where that is known. Reads the store; for a worker
/// thread. Throws `InputError` when its params are none of this program's.
sweep::Sweep forkOf(const tracking::Store& store, const tracking::Run& run);

}  // namespace dailies::ui
