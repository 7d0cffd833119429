#include "remote/launch/dataset_launch.h"

#include "core/base/ids.h"
#include "core/base/text.h"
#include "core/tracking/curating_run.h"
#include "remote/job_script/job_script.h"
#include "remote/launch/recorded_launch.h"
#include "remote/launch/source_runs.h"

#include <algorithm>

namespace dailies::remote {

namespace {

/// The key of the document that holds the job is that of one of these; dailies-train has them as verbs.
struct DatasetVerb {
    const char* verb;
    const char* key;
};
constexpr DatasetVerb kCurate{"curate", "curation"}, kCaption{"caption", "captions"},
    kScoreClips{"score-clips", "clip_scores"}, kShard{"shard", "shards"};
constexpr DatasetVerb kVerbs[] = {kCurate, kCaption, kScoreClips, kShard};

/// What the kinds of request ask of the tasks in their own ways.
struct DatasetJob {
    DatasetVerb verb;
    std::string folder;                      ///< on the cluster, that is written to
    decltype(tracking::Run::params) params;  ///< of every task's run
    Json config;                             ///< of every task
};

Json sameForAllTasks(const Json& job, const Json& /*run*/) {
    return job;
}

/// `id`: of the plan.
DatasetPlan datasetPlanOf(const DatasetRequest& request, const DatasetJob& job, const std::string& id,
                          const ClusterProfile& profile, const std::string& workspace,
                          const InstalledTrainer& trainer) {
    DatasetPlan plan;
    plan.id = id;
    plan.name = request.name;
    plan.experiment = request.experiment;
    plan.document = {{"sweep_id", plan.id}, {"name", plan.name}, {job.verb.key, job.config}};
    plan.document["runs"] = Json::array();
    const auto tasks = static_cast<std::size_t>(request.tasks);
    for (std::size_t i = 0; i < tasks; ++i) {
        auto run = makeTaskRun(plan.id, plan.name, i, profile.name, workspace);
        const auto place = std::to_string(i + 1) + " of " + std::to_string(tasks);
        run.name = tasks > 1 ? plan.name + " " + place : plan.name;
        run.params = job.params;
        run.params[std::string(job.verb.key) + ".task"] = place;
        run.tags[tracking::tag::kCuratedFolder] = job.folder;
        plan.document["runs"].push_back({{"run_id", run.id}, {"name", run.name}});
        plan.runs.push_back(std::move(run));
    }
    plan.script =
        arrayScript({.sweepId = plan.id,
                     .sweepName = plan.name,
                     .tasks = tasks,
                     .resources = request.resources,
                     .workspace = workspace,
                     .program = trainerParts(trainerPath(workspace, trainer), job.verb.verb, "--job"),
                     .environment = request.environment},
                    profile);
    return plan;
}

}  // namespace

DatasetPlan planCuration(const CurationRequest& request, const ClusterProfile& profile,
                         const std::string& workspace, const InstalledTrainer& trainer) {
    throwIfInvalid(request);
    const auto id = newId();
    auto job = request.job;
    job.threads = request.resources.cpusPerRank;
    job.sharedBy = id;
    return datasetPlanOf(request,
                         {.verb = kCurate,
                          .folder = job.out,
                          .params = {{"curation.films", join(job.films, ", ")}, {"curation.out", job.out}},
                          .config = curation::toJson(job)},
                         id, profile, workspace, trainer);
}

DatasetPlan planCaptions(const CaptionRequest& request, const ClusterProfile& profile,
                         const std::string& workspace, const InstalledTrainer& trainer) {
    throwIfInvalid(request);
    const auto id = newId();
    auto job = request.job;
    job.sharedBy = id;
    return datasetPlanOf(request,
                         {.verb = kCaption,
                          .folder = job.folder,
                          .params = {{"captions.folder", job.folder},
                                     {"captions.model", firstNonEmpty(job.settings.model, job.serve)},
                                     {"captions.prompt", job.settings.prompt}},
                          .config = captioning::toJson(job)},
                         id, profile, workspace, trainer);
}

DatasetPlan planClipScores(const ClipScoringRequest& request, const ClusterProfile& profile,
                           const std::string& workspace, const InstalledTrainer& trainer) {
    throwIfInvalid(request);
    const auto id = newId();
    auto job = request.job;
    job.threads = request.resources.cpusPerRank;
    job.sharedBy = id;
    return datasetPlanOf(request,
                         {.verb = kScoreClips,
                          .folder = job.folder,
                          .params = {{"clip_scores.folder", job.folder},
                                     {"clip_scores.name", job.name},
                                     {"clip_scores.frames", std::to_string(job.frames)}},
                          .config = curation::toJson(job)},
                         id, profile, workspace, trainer);
}

DatasetPlan planShards(const ShardRequest& request, const ClusterProfile& profile,
                       const std::string& workspace, const InstalledTrainer& trainer) {
    throwIfInvalid(request);
    auto job = request.job;
    job.threads = request.resources.cpusPerRank;
    return datasetPlanOf(request,
                         {.verb = kShard,
                          .folder = job.out,
                          .params = {{"shards.folder", job.folder}, {"shards.out", job.out}},
                          .config = curation::toJson(job)},
                         newId(), profile, workspace, trainer);
}

std::string launchDatasetJob(Cluster& cluster, DatasetPlan plan, tracking::Store& store,
                             const Progress& progress, std::stop_token stop) {
    for (auto& run : plan.runs) run.experimentId = store.ensureExperiment(plan.experiment);
    const auto* verb = std::ranges::find_if(
        kVerbs, [&](const DatasetVerb& each) { return plan.document.contains(each.key); });
    return recordAndSubmit(cluster, store, plan.runs, plan.name,
                           submissionOf(plan.id, plan.document, plan.script, verb->key, sameForAllTasks),
                           progress, stop);
}

std::optional<Submission> datasetSubmission(const tracking::SweepRecord& record) {
    for (const auto& verb : kVerbs)
        if (auto submission = submissionFromRecord(record, verb.key, sameForAllTasks)) return submission;
    return std::nullopt;
}

}  // namespace dailies::remote
