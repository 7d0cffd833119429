#pragma once

#include "remote/launch/batch_launch.h"
#include "remote/service/submitted.h"

#include <stop_token>

namespace dailies::remote {

/// Has the cluster show batches of a run: validate, make sure of the trainer, plan, record, submit. Blocks,
/// throws and reports as `LaunchService` does.
Submitted<BatchPlan> submitBatch(Cluster& cluster, tracking::Store& store, const BatchRequest& request,
                                 const Progress& progress = {}, std::stop_token stop = {});

}  // namespace dailies::remote
