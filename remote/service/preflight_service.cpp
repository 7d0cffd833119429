#include "remote/service/preflight_service.h"

#include "remote/diagnostics/preflight.h"
#include "remote/trainer_install/trainer_install.h"

namespace dailies::remote {

preflight::Report measureNodes(Cluster& cluster, const PreflightRequest& request, const Progress& progress,
                               std::stop_token stop) {
    const auto& profile = cluster.profile();
    const auto wanted = withDefaults(request, profile, cluster.facts());
    const auto trainer = ensureTrainer(cluster, makeSourceBundle(), progress, stop);
    return runPreflight(cluster, trainer, wanted, preflightHistory(profile.name), progress, stop);
}

}  // namespace dailies::remote
