#pragma once

#include "core/compare/comparison.h"

#include <stop_token>
#include <string>
#include <vector>

namespace dailies::compare {

/// The best point of every metric of these runs by `directionOf`; of equal ones the earliest. Slow (it looks
/// at whole curves): for a worker thread. Throws `Cancelled`, `Error`.
BestPoints bestPoints(const tracking::Store& store, const std::vector<std::string>& runIds,
                      const Goals& goals, const std::stop_token& stop = {});

}  // namespace dailies::compare
