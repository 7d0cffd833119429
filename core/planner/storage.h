#pragma once

#include "core/planner/weight_sizes.h"

namespace dailies::planner {

/// What one run writes on the cluster's file system.
struct StorageNeed {
    double checkpoint = 0;     ///< bytes of one: weights, average and moments
    std::int64_t kept = 0;     ///< checkpoints that are there at once when the run ends
    double clips = 0;          ///< bytes of the clips that it samples, roughly: they are compressed
    double peakBytes() const;  ///< a further checkpoint is written before the oldest is removed
};

/// By the run's configuration alone. Checkpoints follow from the weights exactly, within their file headers;
/// throws `InputError` for buckets that are none.
StorageNeed estimateStorage(const config::TrainConfig& config, const DataShape& data);

}  // namespace dailies::planner
