#include "remote/cluster/chosen_runs.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "remote/cluster/sweep_runs.h"

#include <algorithm>
#include <set>

namespace dailies::remote {

namespace tag = tracking::tag;

tracking::Run requireRun(const tracking::Store& store, const std::string& runId) {
    if (auto run = store.run(runId)) return *run;
    throw InputError("There is no run " + inertText(runId) + ".", "`dailies runs` lists them.");
}

std::vector<tracking::Run> runsOfOneCluster(const tracking::Store& store,
                                            const std::vector<std::string>& runIds,
                                            const std::string& purpose) {
    if (runIds.empty()) throw InputError("No run was chosen to " + purpose + ".", "Name at least one.");
    std::vector<tracking::Run> runs;
    std::set<std::string> clusters;
    for (const auto& runId : runIds) {
        runs.push_back(requireRun(store, runId));
        if (tagOf(runs.back(), tag::kFolder).empty())
            throw InputError("Run '" + runs.back().name +
                             "' was not launched by Dailies, so no cluster holds its files.");
        clusters.insert(tagOf(runs.back(), tag::kCluster));
    }
    if (clusters.size() > 1)
        throw InputError(
            "These runs are on several clusters: " + join({clusters.begin(), clusters.end()}, ", ") + ".",
            "Choose those of one cluster at a time.");
    return runs;
}

sweep::Resources resourcesOfOneProcess(const tracking::Store& store, const std::vector<std::string>& runIds) {
    sweep::Resources resources;
    for (const auto& runId : runIds) {
        const auto record = store.sweep(tagOf(requireRun(store, runId), tag::kSweep));
        if (!record) continue;
        try {
            resources = sweep::parseSweep(record->yaml, record->name).resources;
            break;
        } catch (const InputError&) {
            continue;  // a job on other runs, or made by a program that knew other keys
        }
    }
    resources.nodes = resources.ranksPerNode = 1;
    resources.gpusPerNode = std::min(resources.gpusPerNode, 1);
    return resources;
}

tracking::Run recordOfTask(const tracking::Run& source, const std::string& jobId, const std::string& jobName,
                           std::size_t task, const std::string& cluster, const std::string& workspace) {
    tracking::Run run;
    run.id = runIdOf(jobId, task);
    run.experimentId = source.experimentId;
    run.startMs = unixMillis();
    run.tags = {{tag::kSweep, jobId},
                {tag::kSweepName, jobName},
                {tag::kCluster, cluster},
                {tag::kFolder, workspace + "/runs/" + run.id},
                {tag::kTask, std::to_string(task)},
                {"mlflow.parentRunId", source.id}};
    return run;
}

}  // namespace dailies::remote
