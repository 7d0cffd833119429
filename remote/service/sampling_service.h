#pragma once

#include "core/tracking/store.h"
#include "remote/cluster/cluster.h"
#include "remote/launch/sampling_launch.h"

#include <stop_token>
#include <string>

namespace dailies::remote {

/// What was sent.
struct SubmittedSampling {
    SamplingPlan plan;
    std::string job;
};

/// Samples runs' checkpoints again: validate, choose the checkpoints that are there, make sure of the
/// trainer, plan, record, submit. Blocks, throws and reports as `LaunchService` does; memory that is tight is
/// a line of `progress`.
SubmittedSampling submitSampling(Cluster& cluster, tracking::Store& store, const SamplingRequest& request,
                                 const Progress& progress = {}, std::stop_token stop = {});

}  // namespace dailies::remote
