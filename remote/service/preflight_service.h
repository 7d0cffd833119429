#pragma once

#include "core/preflight/report.h"
#include "remote/cluster/cluster.h"
#include "remote/job_script/preflight_script.h"

#include <stop_token>

namespace dailies::remote {

/// Measures a cluster's nodes against each other: fills in what the request leaves open, makes sure of the
/// trainer, submits the preflight and waits for its report, which is kept in `preflightHistory`. Blocks,
/// throws and reports as `LaunchService` does.
preflight::Report measureNodes(Cluster& cluster, const PreflightRequest& request,
                               const Progress& progress = {}, std::stop_token stop = {});

}  // namespace dailies::remote
