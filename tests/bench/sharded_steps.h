#pragma once

#include "trainer/tensors/params.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace dailies::trainer {

/// Steps of a model on ranks that are threads of this process and talk through real sockets, a clip each.
struct ShardedSteps {
    int ranks = 2;
    std::string shard = "zero3";  ///< layout.shard
    std::string recompute = "none";
    int steps = 5;
    std::int64_t depth = 12;  ///< of benchShape
    double rate = 1e-3;       ///< of AdamW
};

struct ShardedResult {
    std::vector<double> seconds, losses;  ///< of each step
    double sent = 0, peak = 0;            ///< bytes, by rank 0 in a step
    Params weights = {};                  ///< whole, after the last

    double best() const { return *std::ranges::min_element(seconds); }
};

/// From `initial` weights, on the first clips of `batch` (benchBatch).
ShardedResult trainSharded(const ShardedSteps& what, const Params& initial, const Params& batch);

}  // namespace dailies::trainer
