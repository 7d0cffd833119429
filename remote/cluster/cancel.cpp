#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "remote/cluster/launch.h"
#include "remote/cluster/sweep_runs.h"

namespace dailies::remote {

namespace {

void requireOurs(const Cluster& cluster, const std::string& owner) {
    if (owner != cluster.profile().name)
        throw InputError("It runs on cluster '" + owner + "', not on '" + cluster.profile().name + "'.",
                         "Connect to cluster '" + owner + "'.");
}

}  // namespace

void cancelRun(Cluster& cluster, tracking::Store& store, const std::string& runId, std::stop_token stop) {
    const auto run = store.run(runId);
    if (!run) throw InputError("There is no run " + inertText(runId) + ".", "`dailies runs` lists them.");
    const auto owner = run->tags.find(tracking::tag::kCluster);
    if (owner != run->tags.end()) requireOurs(cluster, owner->second);
    const std::string job = jobOf(store, *run);
    if (job.empty())
        throw Error("Run '" + run->name + "' has not been submitted yet.",
                    "Cancel its whole sweep, or wait until it is submitted.");
    cluster.scheduler().cancel({job}, stop);
}

void cancelSweep(Cluster& cluster, tracking::Store& store, const std::string& sweepId, std::stop_token stop) {
    const auto sweep = store.sweep(sweepId);
    if (!sweep)
        throw InputError("There is no sweep " + inertText(sweepId) + ".",
                         "`dailies runs` shows the sweeps' names.");
    requireOurs(cluster, sweep->cluster);
    std::string job = sweep->jobId;
    if (job.empty()) {
        job = cluster.scheduler().findSubmission(sweepId, stop).value_or("");
        if (!job.empty()) recordSubmission(store, sweepId, job);
    }
    if (!job.empty()) {
        cluster.scheduler().cancel({job}, stop);
        return;
    }
    // Never submitted; with its runs ended, no later resumeLaunches submits it.
    for (const SweepRun& entry : sweepRuns(store, sweepId)) {
        if (!tracking::isActive(entry.run.status)) continue;
        store.setTag(entry.run.id, tracking::tag::kReason, "Cancelled before it was submitted.");
        store.setStatus(entry.run.id, tracking::RunStatus::Killed, unixMillis());
    }
}

}  // namespace dailies::remote
