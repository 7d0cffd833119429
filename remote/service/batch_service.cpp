#include "remote/service/batch_service.h"

#include "remote/cluster/run_cluster.h"
#include "remote/fit/resource_check.h"
#include "remote/launch/source_runs.h"

namespace dailies::remote {

Submitted<BatchPlan> submitBatch(Cluster& cluster, tracking::Store& store, const BatchRequest& request,
                                 const Progress& progress, std::stop_token stop) {
    const auto& profile = cluster.profile();
    requireConnected(&cluster, requireRun(store, request.runId));
    // what the job itself cannot be is told before a trainer is built for it
    planBatch(store, request, profile, cluster.workspace(), {});
    throwIfInvalid(checkResources(request.resources, 1, profile, cluster.facts()));
    const auto trainer = ensureTrainer(cluster, makeSourceBundle(), progress, stop,
                                       trainingEnvironment(store, {request.runId}));
    Submitted<BatchPlan> submitted{planBatch(store, request, profile, cluster.workspace(), trainer), {}};
    submitted.job = launchBatch(cluster, submitted.plan, store, progress, stop);
    return submitted;
}

}  // namespace dailies::remote
