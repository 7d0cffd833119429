#include "remote/service/dataset_service.h"

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/objects/object_reader.h"
#include "remote/fit/resource_check.h"
#include "remote/launch/scoring_launch.h"

namespace dailies::remote {

namespace {

void requireCuratedFolder(Cluster& cluster, const std::string& folder) {
    if (cluster.session().stat(folder + "/" + curation::kClipListFile)) return;
    throw InputError("folder: there is no " + sanitizedText(folder) + "/clips.jsonl on the cluster " +
                         sanitizedText(cluster.profile().name) + ".",
                     "Name a folder that dailies curate wrote there.");
}

template <class Request>
using PlanDataset = DatasetPlan (*)(const Request&, const ClusterProfile&, const std::string&,
                                    const InstalledTrainer&);

/// `requireInput`: throws where the cluster lacks what the job reads, before a trainer is built.
template <class Request, class RequireInput>
Submitted<DatasetPlan> submit(Cluster& cluster, tracking::Store& store, const Request& request,
                              PlanDataset<Request> plan, const Progress& progress, std::stop_token stop,
                              const RequireInput& requireInput) {
    const auto& profile = cluster.profile();
    const auto preview = plan(request, profile, profile.workspace, {});
    throwIfInvalid(checkResources(request.resources, preview.runs.size(), profile, cluster.facts()));
    requireInput();
    const auto trainer = ensureTrainer(cluster, makeSourceBundle(), progress, stop, request.environment);
    Submitted<DatasetPlan> submitted{plan(request, profile, cluster.workspace(), trainer), {}};
    submitted.job = launchDatasetJob(cluster, submitted.plan, store, progress, stop);
    return submitted;
}

}  // namespace

DatasetPlan previewCuration(const CurationRequest& request, const ClusterProfile& profile) {
    return planCuration(request, profile, profile.workspace, {});
}

DatasetPlan previewCaptions(const CaptionRequest& request, const ClusterProfile& profile) {
    return planCaptions(request, profile, profile.workspace, {});
}

DatasetPlan previewClipScores(const ClipScoringRequest& request, const ClusterProfile& profile) {
    requireTorchScript(request.job.scorer);
    return planClipScores(request, profile, profile.workspace, {});
}

DatasetPlan previewShards(const ShardRequest& request, const ClusterProfile& profile) {
    return planShards(request, profile, profile.workspace, {});
}

Submitted<DatasetPlan> submitCuration(Cluster& cluster, tracking::Store& store,
                                      const CurationRequest& request, const Progress& progress,
                                      std::stop_token stop) {
    return submit(cluster, store, request, planCuration, progress, stop, [&] {
        for (const auto& film : request.job.films)
            if (!objects::isObjectUrl(film) && !cluster.session().stat(film))
                throw InputError("films: there is no " + sanitizedText(film) + " on the cluster " +
                                     sanitizedText(cluster.profile().name) + ".",
                                 "Name files, or folders of them, by the paths that they have there.");
    });
}

Submitted<DatasetPlan> submitCaptions(Cluster& cluster, tracking::Store& store, const CaptionRequest& request,
                                      const Progress& progress, std::stop_token stop) {
    return submit(cluster, store, request, planCaptions, progress, stop,
                  [&] { requireCuratedFolder(cluster, request.job.folder); });
}

Submitted<DatasetPlan> submitClipScores(Cluster& cluster, tracking::Store& store,
                                        const ClipScoringRequest& request, const Progress& progress,
                                        std::stop_token stop) {
    requireTorchScript(request.job.scorer);
    auto there = request;
    return submit(cluster, store, there, planClipScores, progress, stop, [&] {
        requireCuratedFolder(cluster, request.job.folder);
        there.job.scorer = uploadScorer(cluster, request.job.scorer, progress, stop);
    });
}

Submitted<DatasetPlan> submitShards(Cluster& cluster, tracking::Store& store, const ShardRequest& request,
                                    const Progress& progress, std::stop_token stop) {
    return submit(cluster, store, request, planShards, progress, stop,
                  [&] { requireCuratedFolder(cluster, request.job.folder); });
}

std::optional<curation::ClipListSummary> curatedSummary(Cluster& cluster, const std::string& folder) {
    const auto file = folder + "/" + curation::kSummaryFile;
    if (!cluster.session().stat(file)) return std::nullopt;
    return curation::ClipListSummary::fromJson(parseJson(cluster.session().readAll(file), file));
}

}  // namespace dailies::remote
