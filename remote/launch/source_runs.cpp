#include "remote/launch/source_runs.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/sweep/resources.h"
#include "core/tracking/sampled_run.h"
#include "remote/cluster/run_cluster.h"
#include "remote/cluster/sweep_runs.h"

#include <algorithm>
#include <set>
#include <utility>

namespace dailies::remote {

namespace tag = tracking::tag;

tracking::Run requireRun(const tracking::Store& store, const std::string& runId) {
    if (auto run = store.run(runId)) return *run;
    throw InputError("There is no run " + sanitizedText(runId) + ".", "`dailies runs` lists them.");
}

tracking::SweepRecord requireSweep(const tracking::Store& store, const tracking::Run& run) {
    if (auto sweep = store.sweep(tagOf(run, tag::kSweep))) return *sweep;
    throw InputError("The sweep of run '" + sanitizedText(run.name) + "' on cluster '" +
                         sanitizedText(clusterOf(run)) + "' is not in this store.",
                     "Fork the run instead.");
}

std::vector<tracking::Run> runsOfOneCluster(const tracking::Store& store,
                                            const std::vector<std::string>& runIds,
                                            const std::string& purpose) {
    if (runIds.empty()) throw InputError("No run was chosen to " + purpose + ".", "Name at least one.");
    std::vector<tracking::Run> runs;
    std::set<std::string> clusters;
    for (const auto& runId : runIds) {
        runs.push_back(requireRun(store, runId));
        clusters.insert(clusterOf(runs.back()));
    }
    if (clusters.size() > 1)
        throw InputError(
            "These runs are on several clusters: " + join({clusters.begin(), clusters.end()}, ", ") + ".",
            "Choose those of one cluster at a time.");
    return runs;
}

namespace {

/// Nothing for a job on other runs, and for a sweep of a program that knew other keys.
std::optional<sweep::Sweep> sweepOf(const tracking::Store& store, const tracking::Run& run) {
    const auto record = store.sweep(tagOf(run, tag::kSweep));
    if (!record) return std::nullopt;
    try {
        return sweep::parseSweep(record->yaml, record->name);
    } catch (const InputError&) {
        return std::nullopt;
    }
}

/// The run that was trained, of one that sampled it.
tracking::Run trainedRun(const tracking::Store& store, tracking::Run run) {
    while (!tagOf(run, tag::kSampledRun).empty()) {
        auto source = store.run(tagOf(run, tag::kSampledRun));
        if (!source) break;
        run = std::move(*source);
    }
    return run;
}

}  // namespace

sweep::Environment trainingEnvironment(const tracking::Store& store, const std::vector<std::string>& runIds) {
    std::optional<sweep::Environment> environment;
    std::string first;
    for (const auto& runId : runIds) {
        const auto run = requireRun(store, runId);
        const auto sweep = sweepOf(store, trainedRun(store, run));
        const auto own = sweep ? sweep->environment : sweep::Environment();
        if (environment && *environment != own)
            throw InputError("Runs " + sanitizedText(first) + " and " + sanitizedText(run.name) +
                                 " were trained in different environments, but a job has only one.",
                             "Submit the runs of each environment separately.");
        environment = own;
        first = run.name;
    }
    return environment.value_or(sweep::Environment());
}

sweep::Resources singleProcessResources(const tracking::Store& store,
                                        const std::vector<std::string>& runIds) {
    sweep::Resources resources;
    for (const auto& runId : runIds)
        if (const auto sweep = sweepOf(store, requireRun(store, runId))) {
            resources = sweep->resources;
            break;
        }
    return sweep::ofOneProcess(std::move(resources));
}

tracking::Run makeTaskRun(const std::string& jobId, const std::string& jobName, std::size_t task,
                          const std::string& cluster, const std::string& workspace) {
    tracking::Run run;
    run.id = runIdOf(jobId, task);
    run.startMs = unixMillis();
    run.tags = {{tag::kSweep, jobId},
                {tag::kSweepName, jobName},
                {tag::kCluster, cluster},
                {tag::kFolder, workspace + "/runs/" + run.id},
                {tag::kTask, std::to_string(task)}};
    return run;
}

tracking::Run makeTaskRun(const tracking::Run& source, const std::string& jobId, const std::string& jobName,
                          std::size_t task, const std::string& cluster, const std::string& workspace) {
    auto run = makeTaskRun(jobId, jobName, task, cluster, workspace);
    run.experimentId = source.experimentId;
    run.tags["mlflow.parentRunId"] = source.id;
    return run;
}

}  // namespace dailies::remote
