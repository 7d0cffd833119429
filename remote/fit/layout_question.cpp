#include "remote/fit/layout_question.h"

#include "core/base/error.h"
#include "core/tracking/predicted_run.h"
#include "remote/diagnostics/preflight.h"
#include "remote/fit/memory_check.h"

#include <algorithm>

namespace dailies::remote {

namespace {

std::optional<planner::MachineRates> ratesOf(const config::TrainConfig& config, bool gpu,
                                             const std::string& gpuName,
                                             const std::vector<preflight::Report>& preflights) {
    const auto published = gpu ? planner::publishedRates(gpuName, config.runtime.precision == "bf16")
                               : std::optional<planner::MachineRates>();
    if (gpu && !published) return std::nullopt;
    const bool asMeasured = !gpu || config.runtime.precision == "bf16";  // GPUs are measured in bfloat16
    for (const auto& report : preflights)
        if (auto measured = asMeasured ? planner::measuredRates(published, report) : std::nullopt)
            return measured;
    return published;
}

}  // namespace

std::optional<planner::LayoutQuestion> layoutQuestion(const config::TrainConfig& config,
                                                      const sweep::Resources& resources,
                                                      const ClusterProfile& profile,
                                                      const slurm::ClusterFacts* facts,
                                                      const std::vector<preflight::Report>& preflights) {
    auto memory = jobMemory(resources, profile, facts);
    if (memory.gpuName.empty()) {
        memory.gpuName = resources.gpuType;
        memory.gpuBytes = planner::gpuMemory(resources.gpuType);
    }
    auto rates = ratesOf(config, computesOnGpu(resources, config), memory.gpuName, preflights);
    if (!rates) return std::nullopt;
    return planner::LayoutQuestion{.config = config,
                                   .data = planner::DataShape::expected(config),
                                   .machines = {std::max(1, resources.nodes), memory.ranksPerNode},
                                   .rates = std::move(*rates),
                                   .memory = std::move(memory),
                                   .gpuHourPrice = profile.gpuHourPrice};
}

std::optional<PredictedRun> predictedRun(const planner::LayoutQuestion& question) {
    try {
        const auto layout = planner::layoutFromConfig(question.config, question.machines);
        const auto memory = planner::layoutMemory(question.config, question.data, layout, question.rates.gpu);
        const auto speed =
            planner::estimateSpeed(question.config, question.data, layout, question.machines, question.rates);
        return PredictedRun{speed.tokensPerSecond(),
                            question.rates.gpu ? memory.gpuBytes() : memory.hostBytes()};
    } catch (const InputError&) {
        return std::nullopt;  // the launch's own checks say why
    }
}

RunPredictor::RunPredictor(const sweep::Resources& resources, const ClusterProfile& profile,
                           const slurm::ClusterFacts& facts)
    : m_resources(resources),
      m_profile(profile),
      m_facts(facts),
      m_preflights(readPreflights(preflightHistory(profile.name), kPreflightsConsidered)) {}

void RunPredictor::tag(tracking::Run& run, const Json& config) {
    const auto [known, isNew] = m_known.try_emplace(memoryKey(config));
    auto& predicted = known->second;
    if (isNew)
        if (const auto question =
                layoutQuestion(config::resolve(config), m_resources, m_profile, &m_facts, m_preflights))
            predicted = predictedRun(*question);
    if (!predicted) return;
    run.tags[tracking::tag::kPredictedTokens] = shortNumber(predicted->tokensPerSecond);
    run.tags[tracking::tag::kPredictedBytes] = shortNumber(predicted->bytes);
}

}  // namespace dailies::remote
