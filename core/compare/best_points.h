#pragma once

#include "core/compare/comparison.h"

#include <stop_token>
#include <string>
#include <vector>

namespace dailies::compare {

/// The best finite point of every metric of these runs by `directionOf`; of equal ones the earliest. Looks at
/// the store's curves from above and opens only the best stretch of each: milliseconds a curve, whatever its
/// length. For a worker thread. Throws `Cancelled`, `Error`.
BestPoints bestPoints(const tracking::Store& store, const std::vector<std::string>& runIds,
                      const Goals& goals, const std::stop_token& stop = {});

}  // namespace dailies::compare
