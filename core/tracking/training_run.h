#pragma once

#include "core/tracking/batch_run.h"
#include "core/tracking/curating_run.h"
#include "core/tracking/sampled_run.h"
#include "core/tracking/scored_run.h"
#include "core/tracking/store.h"

namespace dailies::tracking {

/// Whether the run trains. Jobs that sample or score another run's checkpoints, show its batches or curate
/// films are runs, too, but have params of their own: beside them every param of a training run would count
/// as one that differs.
inline bool isTrainingRun(const Run& run) {
    return !run.tags.contains(tag::kSampledRun) && !run.tags.contains(tag::kScoredRun) &&
           !run.tags.contains(tag::kBatchOf) && !run.tags.contains(tag::kCuratedFolder);
}

}  // namespace dailies::tracking
