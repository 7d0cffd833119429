#include "remote/launch/batch_launch.h"

#include "core/base/counts.h"
#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/base/text.h"
#include "core/config/batch_job.h"
#include "core/sweep/resources.h"
#include "core/tracking/run_tags.h"
#include "core/tracking/training_run.h"
#include "remote/cluster/sweep_runs.h"
#include "remote/job_script/job_script.h"
#include "remote/launch/recorded_launch.h"
#include "remote/launch/source_runs.h"

#include <algorithm>

namespace dailies::remote {

namespace {

namespace tag = tracking::tag;

constexpr const char* kBatchKey = "batch";  ///< of the job in the document

/// The job says all of its one run.
Json batchConfig(const Json& job, const Json&) {
    return job;
}

tracking::Run trainingRun(const tracking::Store& store, const std::string& runId) {
    auto run = runsOfOneCluster(store, {runId}, "show batches of").front();
    if (!tracking::isTrainingRun(run) || run.tags.contains(tag::kProgram))
        throw InputError("Run '" + run.name + "' is not trained by dailies-train.",
                         "Batches are shown of runs that train by it.");
    return run;
}

std::int64_t ranksOf(const tracking::Store& store, const tracking::Run& run) {
    const auto& record = requireSweep(store, run);
    const auto resources = sweep::parseSweep(record.yaml, "sweep " + record.id).resources;
    return std::int64_t{resources.nodes} * resources.ranksPerNode;
}

void requireSteps(const tracking::Run& run, const std::vector<std::int64_t>& steps) {
    const auto param = run.params.find("steps");
    if (param == run.params.end()) return;
    const std::int64_t last = std::atoll(param->second.c_str());
    for (const auto step : steps)
        if (step > last)
            throw InputError("steps: found " + std::to_string(step) + ", expected at most the " +
                             grouped(last) + " of run '" + run.name + "'.");
}

}  // namespace

BatchPlan planBatch(const tracking::Store& store, const BatchRequest& request, const ClusterProfile& profile,
                    const std::string& workspace, const InstalledTrainer& trainer) {
    const auto source = trainingRun(store, request.runId);
    const config::BatchJob job{.run_folder = tagOf(source, tag::kFolder),
                               .steps = request.steps,
                               .rank = request.rank,
                               .ranks = ranksOf(store, source),
                               .clips = request.clips};
    config::throwIfInvalid(job);
    requireSteps(source, job.steps);
    if (const auto problem = sweep::validationError(request.resources)) throw InputError(*problem);
    std::vector<std::string> steps;
    for (const auto step : job.steps) steps.push_back(std::to_string(step));
    BatchPlan plan;
    plan.id = newId();
    plan.name =
        std::string(steps.size() == 1 ? "batch " : "batches ") + join(steps, ", ") + " of " + source.name;
    plan.run = makeTaskRun(source, plan.id, plan.name, 0, tagOf(source, tag::kCluster), workspace);
    plan.run.name = plan.name;
    plan.run.params = {{"batch.run", source.name},
                       {"batch.steps", join(steps, ", ")},
                       {"batch.rank", std::to_string(job.rank) + " of " + std::to_string(job.ranks)}};
    plan.run.tags[tag::kBatchOf] = source.id;
    plan.document = {{"sweep_id", plan.id},
                     {"name", plan.name},
                     {kBatchKey, config::toJson(job)},
                     {"runs", {{{"run_id", plan.run.id}, {"name", plan.run.name}}}}};
    plan.script = arrayScript({.sweepId = plan.id,
                               .sweepName = plan.name,
                               .tasks = 1,
                               .resources = request.resources,
                               .workspace = workspace,
                               .program = trainerParts(trainerPath(workspace, trainer), "batch"),
                               .environment = trainingEnvironment(store, {source.id})},
                              profile);
    return plan;
}

std::string launchBatch(Cluster& cluster, const BatchPlan& plan, tracking::Store& store,
                        const Progress& progress, std::stop_token stop) {
    return recordAndSubmit(cluster, store, {plan.run}, plan.name,
                           submissionOf(plan.id, plan.document, plan.script, kBatchKey, batchConfig),
                           progress, stop);
}

std::optional<Submission> batchSubmission(const tracking::SweepRecord& record) {
    return submissionFromRecord(record, kBatchKey, batchConfig);
}

}  // namespace dailies::remote
