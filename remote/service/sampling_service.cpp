#include "remote/service/sampling_service.h"

#include "remote/cluster/run_cluster.h"
#include "remote/fit/memory_check.h"
#include "remote/fit/resource_check.h"
#include "remote/launch/sampling_memory.h"
#include "remote/launch/source_runs.h"

namespace dailies::remote {

Submitted<SamplingPlan> submitSampling(Cluster& cluster, tracking::Store& store,
                                       const SamplingRequest& request, const Progress& progress,
                                       std::stop_token stop) {
    const auto& profile = cluster.profile();
    requireConnected(&cluster, runsOfOneCluster(store, request.runIds, "sample").front());
    const auto chosen = chooseCheckpoints(store, request);
    throwIfInvalid(checkResources(request.resources, chosen.size(), profile, cluster.facts()));
    const auto memory = checkSamplingMemory(store, request, profile, &cluster.facts());
    throwIfTooLarge(memory);
    if (progress && memory.verdict == planner::FitVerdict::tight) progress(memory.text + " " + memory.remedy);
    const auto checkpoints = existingCheckpoints(cluster, chosen, stop);
    // what the job itself cannot be is told before a trainer is built for it
    planSampling(store, request, checkpoints, profile, cluster.workspace(), {});
    const auto trainer = ensureTrainer(cluster, makeSourceBundle(), progress, stop,
                                       trainingEnvironment(store, request.runIds));
    Submitted<SamplingPlan> submitted{
        planSampling(store, request, checkpoints, profile, cluster.workspace(), trainer), {}};
    submitted.job = launchSampling(cluster, submitted.plan, store, progress, stop);
    return submitted;
}

}  // namespace dailies::remote
