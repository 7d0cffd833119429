#include "remote/service/scoring_service.h"

#include "core/base/counts.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/scoring_job.h"
#include "remote/cluster/run_cluster.h"
#include "remote/fit/resource_check.h"
#include "remote/launch/source_runs.h"

namespace dailies::remote {

std::optional<std::string> nothingToScore(const tracking::Store& store, const ScoringRequest& request,
                                          std::stop_token stop) {
    const auto clips = alreadyScoredClips(store, request, stop);
    if (!clips) return std::nullopt;
    const std::string name =
        request.name.empty() ? config::scorerNameOf(request.scorer.string()) : request.name;
    return (*clips == 1 ? "The one clip has" : "All " + grouped(*clips) + " clips have") +
           " been scored by " + sanitizedText(name) + "; nothing to do.";
}

ScoringPlan previewScoring(const tracking::Store& store, const ScoringRequest& request,
                           const ClusterProfile& profile) {
    requireTorchScript(request.scorer);
    return planScoring(store, request, profile.workspace + "/scorers/SCORER.pt", profile, profile.workspace,
                       {});
}

Submitted<ScoringPlan> submitScoring(Cluster& cluster, tracking::Store& store, const ScoringRequest& request,
                                     const Progress& progress, std::stop_token stop) {
    const auto& profile = cluster.profile();
    requireConnected(&cluster, runsOfOneCluster(store, request.runIds, "score").front());
    const auto preview = previewScoring(store, request, profile);
    if (const auto nothing = nothingToScore(store, request, stop)) throw InputError(*nothing);
    throwIfInvalid(checkResources(request.resources, preview.runs.size(), profile, cluster.facts()));
    const auto trainer = ensureTrainer(cluster, makeSourceBundle(), progress, stop,
                                       trainingEnvironment(store, request.runIds));
    const auto scorer = uploadScorer(cluster, request.scorer, progress, stop);
    Submitted<ScoringPlan> submitted{
        planScoring(store, request, scorer, profile, cluster.workspace(), trainer), {}};
    submitted.job = launchScoring(cluster, submitted.plan, store, progress, stop);
    return submitted;
}

}  // namespace dailies::remote
