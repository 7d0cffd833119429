#include "remote/fit/memory_check.h"

#include "core/base/byte_units.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "remote/fit/resource_check.h"
#include "remote/slurm/fields.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace dailies::remote {

namespace {

/// Of GRES such as "gpu:h100:8(S:0-1),gpu:a100:4" the wanted type, or that with the most memory.
void addGpu(const std::string& gres, const std::string& wanted, planner::JobMemory& memory) {
    for (const auto& gpu : slurm::gpuKinds(gres)) {
        if (!wanted.empty() && gpu.type != wanted) continue;
        const auto bytes = planner::gpuMemory(gpu.type);
        if (!bytes || bytes <= memory.gpuBytes) continue;
        memory.gpuBytes = bytes;
        memory.gpuName = gpu.type;
    }
}

void addNode(const sweep::Resources& resources, const slurm::Partition& partition, bool counted,
             planner::JobMemory& memory) {
    const auto bytes = [](std::int64_t mebibytes) { return static_cast<double>(mebibytes) * kMebibyte; };
    if (partition.memoryPerNode > 0) memory.wholeNode = bytes(partition.memoryPerNode);
    if (memory.nodeBytes) return;
    if (counted && partition.defaultMemoryPerNode > 0) {
        memory.nodeBytes = bytes(partition.defaultMemoryPerNode);
        memory.nodeSource = "partition " + partition.name + " by default";
    } else if (counted && partition.defaultMemoryPerCpu > 0) {
        const auto cpus = std::int64_t{resources.ranksPerNode} * resources.cpusPerRank;
        memory.nodeBytes = bytes(cpus * partition.defaultMemoryPerCpu);
        memory.nodeSource = "partition " + partition.name + " by default (" + std::to_string(cpus) +
                            (cpus == 1 ? " CPU)" : " CPUs)");
    } else if (memory.wholeNode) {
        memory.nodeBytes = memory.wholeNode;
        memory.nodeSource = "a node of partition " + partition.name;
    }
}

}  // namespace

std::string memoryKey(const Json& config) {
    Json sizes;
    for (const auto* group : {"model", "data", "tokenizer", "text", "layout", "runtime"})
        sizes[group] = config.value(group, Json());
    for (const auto* key : {"name", "accumulate", "master_weights"})
        sizes["optimizer"][key] = config["optimizer"][key];
    sizes["average"] = config["optimizer"]["ema_decay"] != 0;
    for (const auto* key : {"prompts", "adherence_clips", "guidance"})
        sizes["sampling"][key] = config["sampling"][key];
    return sizes.dump(-1, ' ', false, Json::error_handler_t::replace);
}

double parseMemorySize(const std::string& text) {
    double number = 0;
    const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (bad != std::errc{}) return 0;
    switch (end == text.data() + text.size() ? 'M' : *end) {
        case 'k':
        case 'K':
            return number * 1024;
        case 'g':
        case 'G':
            return number * kMebibyte * 1024;
        case 't':
        case 'T':
            return number * kMebibyte * 1024 * 1024;
        default:
            return number * kMebibyte;
    }
}

planner::JobMemory jobMemory(const sweep::Resources& resources, const ClusterProfile& profile,
                             const slurm::ClusterFacts* facts) {
    planner::JobMemory memory;
    memory.ranksPerNode = std::max(1, resources.ranksPerNode);
    if (const double asked = parseMemorySize(resources.memory); asked > 0) {
        memory.nodeBytes = asked;
        memory.nodeSource = "--mem " + resources.memory;
    }
    const auto* partition = facts ? partitionOf(resources, profile, *facts) : nullptr;
    if (!partition) return memory;
    addNode(resources, *partition, facts->memoryCounted, memory);
    addGpu(partition->gres, resources.gpuType, memory);
    return memory;
}

bool computesOnGpu(const sweep::Resources& resources, const config::TrainConfig& config) {
    return config.runtime.device == "cuda" || (resources.gpusPerNode > 0 && config.runtime.device == "auto");
}

MemoryCheck checkMemory(const sweep::Sweep& sweep, const std::vector<sweep::PlannedRun>& runs,
                        const ClusterProfile& profile, const slurm::ClusterFacts* facts) {
    const auto& resources = sweep.resources;
    const auto memory = jobMemory(resources, profile, facts);
    std::set<std::string> judged;
    const sweep::PlannedRun* comesOffWorst = nullptr;
    MemoryCheck worst;
    double most = -1;
    for (const auto& run : runs) {
        if (!judged.insert(memoryKey(run.config)).second) continue;
        const auto config = config::resolve(run.config);
        const planner::Spread spread{std::int64_t{std::max(1, resources.nodes)} * memory.ranksPerNode,
                                     computesOnGpu(resources, config)};
        const auto fit = planner::checkFit(config, planner::DataShape::expected(config), spread, memory);
        const double need = fit.need.gpuBytes() + fit.need.hostBytes();
        if (fit.verdict < worst.verdict || (fit.verdict == worst.verdict && need <= most)) continue;
        most = need;
        comesOffWorst = &run;
        worst = {fit.verdict, fit.text, fit.remedy};
    }
    if (comesOffWorst && judged.size() > 1) worst.text = comesOffWorst->name + ": " + worst.text;
    return worst;
}

void throwIfTooLarge(const MemoryCheck& check) {
    if (check.verdict == planner::FitVerdict::tooLarge)
        throw InputError("This does not fit. " + check.text, check.remedy);
}

}  // namespace dailies::remote
