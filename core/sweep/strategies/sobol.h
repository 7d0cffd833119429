#pragma once

#include "core/sweep/sweep.h"

#include <cstddef>
#include <vector>

namespace dailies::sweep {

/// Point `index` of a Sobol sequence with a dimension for each parameter of the sweep, scrambled by its seed,
/// in [0, 1)^d. Throws `InputError` for more parameters than there are dimensions (3,667).
std::vector<double> sobolPoint(const Sweep& sweep, std::size_t index);

}  // namespace dailies::sweep
