#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "remote/cluster/run_cluster.h"
#include "remote/cluster/sweep_runs.h"
#include "remote/launch/launch.h"
#include "remote/launch/source_runs.h"
#include "remote/launch/then_sample.h"
#include "remote/slurm/output.h"

#include <algorithm>
#include <map>

namespace dailies::remote {

namespace {

/// Slurm would do it in its own time, and say only that a dependency was not met.
void cancelWaiting(Cluster& cluster, tracking::Store& store, const std::string& sweepId,
                   const std::vector<std::string>& runIds, std::stop_token stop) {
    std::vector<std::string> jobs;
    for (const auto& run : dependentSamplingRuns(store, sweepId, runIds)) {
        if (const auto job = jobOf(store, run); !job.empty()) {
            store.setTag(run.id, tracking::tag::kCancelled, std::to_string(unixMillis()));
            jobs.push_back(job);
        } else {
            store.setTag(run.id, tracking::tag::kReason, "The training that it waited for was cancelled.");
            store.setStatus(run.id, tracking::RunStatus::Killed, unixMillis());
        }
    }
    if (!jobs.empty()) cluster.scheduler().cancel(jobs, stop);
}

std::size_t activeRuns(const tracking::Store& store, const std::string& sweepId) {
    const auto runs = sweepRuns(store, sweepId);
    return static_cast<std::size_t>(std::ranges::count_if(
        runs, [](const SweepRun& entry) { return tracking::isActive(entry.run.status); }));
}

}  // namespace

void cancelRuns(Cluster& cluster, tracking::Store& store, const std::vector<std::string>& runIds,
                bool endSweeps, std::stop_token stop) {
    std::map<std::string, std::vector<tracking::Run>> bySweep;
    for (const auto& id : runIds) {
        const auto run = requireRun(store, id);
        requireConnected(&cluster, run);
        bySweep[tagOf(run, tracking::tag::kSweep)].push_back(run);
    }
    const auto isActive = [](const tracking::Run& run) { return tracking::isActive(run.status); };
    std::vector<std::string> wholeSweeps, jobs, cancelled;
    std::erase_if(bySweep, [&](const auto& entry) {
        const auto active = static_cast<std::size_t>(std::ranges::count_if(entry.second, isActive));
        if (!endSweeps || active == 0 || activeRuns(store, entry.first) != active) return false;
        wholeSweeps.push_back(entry.first);
        return true;
    });
    for (const auto& [sweepId, runs] : bySweep)
        for (const auto& run : runs) {
            jobs.push_back(jobOf(store, run));
            if (jobs.back().empty())
                throw Error("Run '" + run.name + "' has not been submitted yet.",
                            "Cancel its whole sweep, or wait until it is submitted.");
            if (isActive(run)) cancelled.push_back(run.id);
        }
    for (const auto& sweepId : wholeSweeps) cancelSweep(cluster, store, sweepId, stop);
    if (jobs.empty()) return;
    store.setTags(cancelled, tracking::tag::kCancelled, std::to_string(unixMillis()));
    cluster.scheduler().cancel(jobs, stop);
    for (const auto& [sweepId, runs] : bySweep) {
        std::vector<std::string> ids;
        for (const auto& run : runs) ids.push_back(run.id);
        cancelWaiting(cluster, store, sweepId, ids, stop);
    }
}

void cancelSweep(Cluster& cluster, tracking::Store& store, const std::string& sweepId, std::stop_token stop) {
    const auto sweep = store.sweep(sweepId);
    if (!sweep)
        throw InputError("There is no sweep " + sanitizedText(sweepId) + ".",
                         "`dailies runs` shows the sweeps' names.");
    requireConnected(&cluster, *sweep);
    if (const auto runs = sweepRuns(store, sweepId); !runs.empty())
        store.setTag(runs.front().run.id, tracking::tag::kSweepCancelled, std::to_string(unixMillis()));
    std::string job = sweep->jobId;
    if (job.empty()) {
        job = cluster.scheduler().findSubmission(sweepId, stop).value_or("");
        if (!job.empty()) recordSubmission(store, sweepId, job);
    }
    std::vector<std::string> jobs, submitted, ended;
    if (!job.empty()) jobs.push_back(job);
    for (const SweepRun& entry : sweepRuns(store, sweepId)) {
        if (!tracking::isActive(entry.run.status)) continue;
        ended.push_back(entry.run.id);
        const std::string own = jobOf(entry.run, job);
        if (!own.empty()) {
            submitted.push_back(entry.run.id);
            if (slurm::arrayJobId(own) != job) jobs.push_back(own);
            continue;
        }
        // Never submitted; with its runs ended, nothing later submits it.
        store.setTag(entry.run.id, tracking::tag::kReason, "Cancelled before it was submitted.");
        store.setStatus(entry.run.id, tracking::RunStatus::Killed, unixMillis());
    }
    store.setTags(submitted, tracking::tag::kCancelled, std::to_string(unixMillis()));
    cluster.scheduler().cancel(jobs, stop);
    cancelWaiting(cluster, store, sweepId, ended, stop);
}

}  // namespace dailies::remote
