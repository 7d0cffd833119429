#pragma once

#include "core/sweep/sweep.h"

#include <cstddef>
#include <string>
#include <vector>

namespace dailies::sweep {

/// The sweeps that train the stages of one, in order. Each has all runs of the sweep, with the same drawn
/// values, and from the second on each run begins with the newest checkpoint of its run in the sweep before
/// (`SweepDependency::fromCheckpoint`, whose sweep is empty: known once that one is launched). A sweep
/// without stages is its own only one. Throws `InputError` where `stageProblem` finds something.
std::vector<Sweep> stagesOf(const Sweep& sweep);

/// Why the stage at `index` cannot be trained after those before it; empty: it can.
std::string stageProblem(const Sweep& sweep, std::size_t index);

}  // namespace dailies::sweep
