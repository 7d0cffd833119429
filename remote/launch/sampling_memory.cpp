#include "remote/launch/sampling_memory.h"

#include "core/base/error.h"
#include "remote/cluster/sweep_runs.h"

#include <algorithm>
#include <optional>

namespace dailies::remote {

namespace {

std::optional<config::TrainConfig> understood(const tracking::Run& run) {
    try {
        return config::resolve(configOf(run));
    } catch (const Error&) {
        return std::nullopt;
    }
}

/// One job makes the clips of one checkpoint at one guidance; the largest decides.
planner::SamplingLoad loadOf(const config::SamplingJob& job, const config::TrainConfig& config) {
    planner::SamplingLoad load{.clips = static_cast<std::int64_t>(job.prompts.size() * job.seeds.size()),
                               .guidance = config.sampling.guidance,
                               .frames = job.frames,
                               .joinsAtEachStep = job.blend != "linear"};
    const auto guides = [](double scale) { return scale != 1; };
    if (const auto at = std::ranges::find_if(job.guidance, guides); at != job.guidance.end())
        load.guidance = *at;
    else if (!job.guidance.empty())
        load.guidance = 1;
    return load;
}

}  // namespace

MemoryCheck checkSamplingMemory(const tracking::Store& store, const SamplingRequest& request,
                                const ClusterProfile& profile, const slurm::ClusterFacts* facts) {
    const auto memory = jobMemory(request.resources, profile, facts);
    MemoryCheck worst;
    double most = -1;
    std::string who;
    for (const auto& runId : request.runIds) {
        const auto run = store.run(runId);
        const auto config = run ? understood(*run) : std::nullopt;
        if (!config) continue;
        const auto fit = planner::checkSamplingFit(*config, planner::DataShape::expected(*config),
                                                   loadOf(request.job, *config),
                                                   computesOnGpu(request.resources, *config), memory);
        const double need = fit.need.gpuBytes() + fit.need.hostBytes();
        if (fit.verdict < worst.verdict || (fit.verdict == worst.verdict && need <= most)) continue;
        most = need;
        who = run->name;
        worst = {fit.verdict, fit.text, fit.remedy};
    }
    if (request.runIds.size() > 1 && !who.empty()) worst.text = who + ": " + worst.text;
    return worst;
}

}  // namespace dailies::remote
