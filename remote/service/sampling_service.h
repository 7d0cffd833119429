#pragma once

#include "core/tracking/store.h"
#include "remote/cluster/cluster.h"
#include "remote/launch/sampling_launch.h"
#include "remote/service/submitted.h"

#include <stop_token>

namespace dailies::remote {

/// Samples runs' checkpoints again: validate, choose the checkpoints that are there, make sure of the
/// trainer, plan, record, submit. Blocks, throws and reports as `LaunchService` does; memory that is tight is
/// a line of `progress`.
Submitted<SamplingPlan> submitSampling(Cluster& cluster, tracking::Store& store,
                                       const SamplingRequest& request, const Progress& progress = {},
                                       std::stop_token stop = {});

}  // namespace dailies::remote
