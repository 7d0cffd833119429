#pragma once

#include "remote/launch/batch_launch.h"

#include <stop_token>
#include <string>

namespace dailies::remote {

/// What was sent.
struct SubmittedBatch {
    BatchPlan plan;
    std::string job;
};

/// Has the cluster show batches of a run: validate, make sure of the trainer, plan, record, submit. Blocks,
/// throws and reports as `LaunchService` does.
SubmittedBatch submitBatch(Cluster& cluster, tracking::Store& store, const BatchRequest& request,
                           const Progress& progress = {}, std::stop_token stop = {});

}  // namespace dailies::remote
