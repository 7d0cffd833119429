#include "remote/launch/curation_launch.h"

#include "core/base/ids.h"
#include "core/base/text.h"
#include "core/tracking/curating_run.h"
#include "remote/job_script/job_script.h"
#include "remote/launch/recorded_launch.h"
#include "remote/launch/source_runs.h"

namespace dailies::remote {

namespace {

constexpr const char* kCurationKey = "curation";  ///< of the job in the document

Json curationConfig(const Json& job, const Json& /*run*/) {
    return job;
}

tracking::Run recordOf(const CurationPlan& plan, const curation::CurationJob& job, std::size_t index,
                       std::size_t tasks, const std::string& cluster, const std::string& workspace) {
    auto run = makeTaskRun(plan.id, plan.name, index, cluster, workspace);
    run.name = plan.name;
    if (tasks > 1) run.name += " " + std::to_string(index + 1) + " of " + std::to_string(tasks);
    run.params = {{"curation.films", join(job.films, ", ")},
                  {"curation.out", job.out},
                  {"curation.task", std::to_string(index + 1) + " of " + std::to_string(tasks)}};
    run.tags[tracking::tag::kCuratedFolder] = job.out;
    return run;
}

}  // namespace

CurationPlan planCuration(const CurationRequest& request, const ClusterProfile& profile,
                          const std::string& workspace, const InstalledTrainer& trainer) {
    throwIfInvalid(request);
    CurationPlan plan;
    plan.id = newId();
    plan.name = request.name;
    plan.experiment = request.experiment;
    auto job = request.job;
    job.threads = request.resources.cpusPerRank;
    job.sharedBy = plan.id;
    plan.document = {{"sweep_id", plan.id}, {"name", plan.name}, {kCurationKey, curation::toJson(job)}};
    plan.document["runs"] = Json::array();
    const auto tasks = static_cast<std::size_t>(request.tasks);
    for (std::size_t i = 0; i < tasks; ++i) {
        plan.runs.push_back(recordOf(plan, job, i, tasks, profile.name, workspace));
        plan.document["runs"].push_back({{"run_id", plan.runs.back().id}, {"name", plan.runs.back().name}});
    }
    plan.script = arrayScript({.sweepId = plan.id,
                               .sweepName = plan.name,
                               .tasks = tasks,
                               .resources = request.resources,
                               .workspace = workspace,
                               .program = trainerParts(trainerPath(workspace, trainer), "curate", "--job"),
                               .environment = request.environment},
                              profile);
    return plan;
}

std::string launchCuration(Cluster& cluster, CurationPlan plan, tracking::Store& store,
                           const Progress& progress, std::stop_token stop) {
    for (auto& run : plan.runs) run.experimentId = store.ensureExperiment(plan.experiment);
    return recordAndSubmit(cluster, store, plan.runs, plan.name,
                           submissionOf(plan.id, plan.document, plan.script, kCurationKey, curationConfig),
                           progress, stop);
}

std::optional<Submission> curationSubmission(const tracking::SweepRecord& record) {
    return submissionFromRecord(record, kCurationKey, curationConfig);
}

}  // namespace dailies::remote
