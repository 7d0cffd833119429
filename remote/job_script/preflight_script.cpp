#include "remote/job_script/preflight_script.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "remote/cluster/environment_script.h"
#include "remote/job_script/sbatch_text.h"
#include "remote/job_script/templates.h"
#include "remote/slurm/fields.h"

#include <algorithm>
#include <vector>

namespace dailies::remote {

PreflightRequest withDefaults(PreflightRequest request, const ClusterProfile& profile,
                              const slurm::ClusterFacts& facts) {
    request.partition = firstNonEmpty(request.partition, profile.partition);
    const slurm::Partition* chosen = nullptr;
    std::vector<std::string> names;
    for (const auto& partition : facts.partitions) {
        names.push_back(partition.name);
        if (request.partition.empty() ? partition.isDefault : partition.name == request.partition)
            chosen = &partition;
    }
    if (!chosen)
        throw InputError(request.partition.empty()
                             ? "The cluster has no default partition."
                             : "There is no partition '" + sanitizedText(request.partition) + "'.",
                         "Choose one of: " + join(names, ", ") + ".");
    if (request.nodes > chosen->nodes)
        throw InputError("Partition " + chosen->name + " has " + std::to_string(chosen->nodes) +
                             " nodes, not " + std::to_string(request.nodes) + ".",
                         "Give at most " + std::to_string(chosen->nodes) + ".");
    if (request.nodes == 0) request.nodes = chosen->nodes;
    if (request.gpusPerNode < 0) request.gpusPerNode = slurm::gpuCount(chosen->gres);
    if (request.ranksPerNode == 0) request.ranksPerNode = std::max(1, request.gpusPerNode);
    return request;
}

std::string preflightScript(const std::string& folder, const std::string& program,
                            const PreflightRequest& request, const ClusterProfile& profile) {
    sweep::Resources place;
    place.partition = request.partition;
    const auto atLeastOne = [](int value) { return static_cast<std::size_t>(std::max(value, 1)); };
    const auto seconds = request.budget.count() + 30;
    std::string directives = "#SBATCH --job-name=dailies-preflight\n";
    directives += sitePlace(place, profile);
    directives += directive("nodes", atLeastOne(request.nodes));
    directives += directive("ntasks-per-node", atLeastOne(request.ranksPerNode));
    directives += directive("cpus-per-task", atLeastOne(request.cpusPerRank));
    if (request.gpusPerNode > 0)
        directives += directive("gres", "gpu:" + std::to_string(request.gpusPerNode));
    directives += directive("time", std::to_string(seconds / 60 + 2));
    directives += workingFolder(folder);
    directives += "#SBATCH --output=preflight.log\n#SBATCH --no-requeue";
    const auto environment =
        scriptOf(profile.environment, profile.setup, {.workspace = folder, .gpus = request.gpusPerNode > 0});
    return fill(kPreflightTemplate, {{"DIRECTIVES", directives},
                                     {"FOLDER", shellQuote(folder)},
                                     {"PROGRAM", shellQuote(program)},
                                     {"SECONDS", std::to_string(seconds)},
                                     {"BUDGET", std::to_string(request.budget.count())},
                                     {"SETUP", join(environment.lines, "\n")},
                                     {"SRUN_OPTIONS", join(environment.srunOptions, " ")},
                                     {"LAUNCHER", join(environment.launcher, " ")},
                                     {"RUN", join(environment.containerCommand(), " ")}});
}

}  // namespace dailies::remote
