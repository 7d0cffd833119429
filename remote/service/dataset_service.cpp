#include "remote/service/dataset_service.h"

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "remote/fit/resource_check.h"

namespace dailies::remote {

DatasetPlan previewCuration(const CurationRequest& request, const ClusterProfile& profile) {
    return planCuration(request, profile, profile.workspace, {});
}

DatasetPlan previewCaptions(const CaptionRequest& request, const ClusterProfile& profile) {
    return planCaptions(request, profile, profile.workspace, {});
}

SubmittedDatasetJob submitCuration(Cluster& cluster, tracking::Store& store, const CurationRequest& request,
                                   const Progress& progress, std::stop_token stop) {
    const auto& profile = cluster.profile();
    const auto preview = previewCuration(request, profile);
    throwIfInvalid(checkResources(request.resources, preview.runs.size(), profile, cluster.facts()));
    for (const auto& film : request.job.films)
        if (!cluster.session().stat(film))
            throw InputError("films: there is no " + sanitizedText(film) + " on the cluster " +
                                 sanitizedText(profile.name) + ".",
                             "Name files, or folders of them, by the paths that they have there.");
    const auto trainer = ensureTrainer(cluster, makeSourceBundle(), progress, stop, request.environment);
    SubmittedDatasetJob submitted{planCuration(request, profile, cluster.workspace(), trainer), {}};
    submitted.job = launchDatasetJob(cluster, submitted.plan, store, progress, stop);
    return submitted;
}

SubmittedDatasetJob submitCaptions(Cluster& cluster, tracking::Store& store, const CaptionRequest& request,
                                   const Progress& progress, std::stop_token stop) {
    const auto& profile = cluster.profile();
    const auto preview = previewCaptions(request, profile);
    throwIfInvalid(checkResources(request.resources, preview.runs.size(), profile, cluster.facts()));
    if (!cluster.session().stat(request.job.folder + "/" + curation::kClipListFile))
        throw InputError("folder: there is no " + sanitizedText(request.job.folder) +
                             "/clips.jsonl on the cluster " + sanitizedText(profile.name) + ".",
                         "Name a folder that dailies curate wrote there.");
    const auto trainer = ensureTrainer(cluster, makeSourceBundle(), progress, stop, request.environment);
    SubmittedDatasetJob submitted{planCaptions(request, profile, cluster.workspace(), trainer), {}};
    submitted.job = launchDatasetJob(cluster, submitted.plan, store, progress, stop);
    return submitted;
}

std::optional<curation::ClipListSummary> curatedSummary(Cluster& cluster, const std::string& folder) {
    const auto file = folder + "/" + curation::kSummaryFile;
    if (!cluster.session().stat(file)) return std::nullopt;
    return curation::ClipListSummary::fromJson(parseJson(cluster.session().readAll(file), file));
}

}  // namespace dailies::remote
