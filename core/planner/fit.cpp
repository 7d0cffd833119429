#include "core/planner/fit.h"

#include "core/base/size_text.h"
#include "core/base/text.h"
#include "core/config/layout.h"
#include "core/config/recompute.h"
#include "core/planner/activations.h"
#include "core/planner/units.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>

namespace dailies::planner {

namespace {

struct GpuKind {
    const char* name;  ///< part of what Slurm or the driver calls it, in lower case; special names first
    double gibibytes;
};

// what the driver leaves of the data sheet's figure; where a kind is sold with two sizes, its name holds the
// size or the smaller one counts
constexpr GpuKind kGpuKinds[] = {
    {"b300", 268},      {"b200", 178},          {"gh200", 95},      {"h200", 140},      {"h100nvl", 93.5},
    {"h100-96", 93.5},  {"h100", 79.6},         {"h800", 79.6},     {"h20", 95},        {"a100-80", 79.2},
    {"a100_80", 79.2},  {"a100-sxm4-80", 79.2}, {"a100", 39.5},     {"a800", 79.2},     {"l40s", 44.5},
    {"l40", 44.5},      {"a40", 44.5},          {"a6000", 47.5},    {"rtx6000", 47.5},  {"a10", 22.5},
    {"l4", 22.5},       {"v100-32", 31.7},      {"v100", 15.8},     {"rtx_5090", 31.8}, {"rtx5090", 31.8},
    {"rtx_4090", 23.6}, {"rtx4090", 23.6},      {"rtx_3090", 23.6}, {"rtx3090", 23.6},  {"t4", 14.6},
};

FitVerdict fitVerdict(double need, std::optional<double> have) {
    if (!have) return FitVerdict::unknown;
    if (need * (1 - kMemoryError) > *have) return FitVerdict::tooLarge;
    return need * (1 + kMemoryError) > *have ? FitVerdict::tight : FitVerdict::fits;
}

/// A memory of which a job may have too little.
struct Pool {
    std::string needs;  ///< "Each rank needs 3.1 GiB of memory (…)"
    std::string has;    ///< "--mem 2G gives 2.0 GiB"
    std::optional<double> bytes;
    std::function<double(const RankMemory&)> need;
};

/// `who` needs it: "Each rank".
Pool gpuPool(const std::string& who, const RankMemory& memory, const JobMemory& job) {
    return {
        .needs = who + " needs about " + binarySizeText(memory.gpuBytes()) + " of GPU memory (" +
                 partsText(memory.gpu) + ")",
        .has = job.gpuBytes ? "a GPU of type " + job.gpuName + " has " + binarySizeText(*job.gpuBytes) : "",
        .bytes = job.gpuBytes,
        .need = [](const RankMemory& m) { return m.gpuBytes(); }};
}

Pool nodePool(const std::string& who, const RankMemory& memory, const JobMemory& job) {
    const auto ranks = static_cast<double>(job.ranksPerNode);
    std::string needs = who + " needs about " + binarySizeText(memory.hostBytes()) + " of " +
                        (memory.gpu.empty() ? "memory (" : "its node's memory (") + partsText(memory.host) +
                        ")";
    if (job.ranksPerNode > 1)
        needs += ", the " + std::to_string(job.ranksPerNode) + " ranks of a node " +
                 binarySizeText(ranks * memory.hostBytes());
    return {.needs = std::move(needs),
            .has = job.nodeBytes ? job.nodeSource + " gives " + binarySizeText(*job.nodeBytes) : "",
            .bytes = job.nodeBytes,
            .need = [ranks](const RankMemory& m) { return ranks * m.hostBytes(); }};
}

std::string sentence(const Pool& pool, const RankMemory& memory, FitVerdict verdict) {
    if (verdict == FitVerdict::unknown) return pool.needs + ".";
    const double over = pool.need(memory) - *pool.bytes;
    return pool.needs + "; " + pool.has +
           (verdict == FitVerdict::tooLarge ? ": " + binarySizeText(over) + " too little."
            : verdict == FitVerdict::tight  ? ", which may be too little."
                                            : ".");
}

struct Change {
    std::string words;
    config::TrainConfig config;
};

/// From what costs the least: first what changes no result, then what costs time, then what changes the
/// optimizer or the batch.
std::vector<Change> changesOf(const config::TrainConfig& config, const Spread& spread) {
    std::vector<Change> changes;
    auto changed = config;
    const auto add = [&](const std::string& words) {
        if (config::layoutProblems(changed).empty()) changes.push_back({words, changed});
    };
    const auto dataRanks = spread.ranks / (config.layout.cp * config.layout.tp * config.layout.pp);
    const auto ofRank = std::max<std::int64_t>(1, config.data.batch_size / dataRanks);
    const auto accumulate = [&](std::int64_t parts) {
        changed.optimizer.accumulate = parts;
        return "optimizer.accumulate " + std::to_string(parts);
    };
    const bool packs = config.data.packing;
    for (auto parts = config.optimizer.accumulate + 1; !packs && parts <= ofRank; ++parts)
        if (ofRank % parts == 0) add(accumulate(parts));
    changed = config;
    const auto& recompute = config.model.recompute;
    std::vector<const char*> others;  // that hold less, those first that cost less
    if (!config::recomputesBlocks(recompute)) {
        if (recompute == "none") others.push_back("selective");
        others.push_back("full");
    }
    if (recompute != "offload" && spread.gpu && !config.runtime.cuda_graphs) others.push_back("offload");
    std::erase_if(others, [&](const char* mode) { return !canRecompute(config.model, mode); });
    for (const auto* mode : others) {
        changed.model.recompute = mode;
        add(std::string("model.recompute ") + mode);
    }
    for (const int quarters : {1, 2, 3, 4}) {
        const auto blocks = (config.model.depth * quarters + 3) / 4;
        const bool canSwap = spread.gpu && config.lora.rank > 0 && !config.runtime.cuda_graphs;
        if (!canSwap || blocks <= config.lora.blocks_to_swap) continue;
        changed = config;
        changed.lora.blocks_to_swap = blocks;
        const auto words = "lora.blocks_to_swap " + std::to_string(blocks);
        add(words);
        for (const auto* mode : others) {
            if (!config::recomputesBlocks(mode)) continue;
            changed.model.recompute = mode;
            add(words + " and model.recompute " + mode);
        }
    }
    changed = config;
    const auto addWithFull = [&](const std::string& words) {
        add(words);
        if (config::recomputesBlocks(recompute)) return;
        changed.model.recompute = "full";
        add(words + " and model.recompute full");
    };
    const bool canDivide = spread.ranks > 1 && config.layout.shard != "zero3" && config.layout.pp == 1;
    if (canDivide) {
        changed.layout.shard = "zero3";
        addWithFull("layout.shard zero3");
    }
    changed = config;
    const bool mayBeSliced = config.layout.tp == 1 && config.layout.pp == 1 && config.layout.dp == 0 &&
                             config.layout.shard_ranks == 0;
    for (const std::int64_t tp : {2, 4, 8}) {  // no more than share a node
        if (!mayBeSliced || dataRanks % tp != 0) continue;
        changed.layout.tp = tp;
        changed.layout.shard = "zero3";
        changed.model.recompute = "full";
        changed.optimizer.accumulate = std::max<std::int64_t>(1, config.data.batch_size / (dataRanks / tp));
        add("layout.tp " + std::to_string(tp) + ", layout.shard zero3, model.recompute full and " +
            "optimizer.accumulate " + std::to_string(changed.optimizer.accumulate));
    }
    changed = config;
    if (config.lora.rank > 0 && config.lora.base_precision != "int8" && !config.runtime.cuda_graphs) {
        changed.lora.base_precision = "int8";
        addWithFull("lora.base_precision int8");
    }
    const bool canOffload = spread.gpu && !config.optimizer.offload;
    changed = config;
    if (canOffload) {
        changed.optimizer.offload = true;
        add("optimizer.offload true");
    }
    changed = config;
    const bool isFull = config.optimizer.name == "adamw";
    if (isFull) {
        changed.optimizer.name = "adamw8bit";
        add("optimizer.name adamw8bit");
    }
    changed = config;
    changed.model.recompute = "full";
    std::string words = "model.recompute full";
    if (!packs && ofRank > 1) {
        words += " and " + accumulate(ofRank);
        add(words);
    }
    if (canOffload) {
        changed.optimizer.offload = true;
        add(words + " and optimizer.offload true");
        changed.optimizer.offload = false;
    }
    if (isFull) {
        changed.optimizer.name = "adamw8bit";
        words += " and optimizer.name adamw8bit";
        add(words);
    }
    if (!packs && config.data.batch_size > dataRanks) {
        changed.data.batch_size = dataRanks;
        changed.optimizer.accumulate = 1;
        add("model.recompute full, optimizer.name adamw8bit and data.batch_size " +
            std::to_string(dataRanks));
    }
    return changes;
}

std::string mebibytes(double bytes) {
    return std::to_string(static_cast<std::int64_t>(std::ceil(bytes / (1 << 20) / 256) * 256)) + "M";
}

/// Empty where no node of the partition has enough.
std::string askForMore(const JobMemory& job, const Pool& pool, const RankMemory& memory, bool isNode) {
    const double wanted = pool.need(memory) * (1 + kMemoryError);
    if (!isNode || !job.wholeNode || *job.wholeNode < wanted) return {};
    return "Ask for more (resources.memory " + mebibytes(wanted) + "; a node has " +
           binarySizeText(*job.wholeNode) + ")";
}

std::string remedyFor(const config::TrainConfig& config, const DataShape& data, const Spread& spread,
                      const JobMemory& job, const Pool& pool, const RankMemory& memory, bool isNode) {
    const auto remedy = askForMore(job, pool, memory, isNode);
    const auto changes = changesOf(config, spread);
    for (const double margin : {1 + kMemoryError, 1.0}) {  // what surely fits, else what should
        for (const auto& change : changes) {
            const double need = pool.need(rankMemory(change.config, data, spread));
            if (need * margin > *pool.bytes) continue;
            return (remedy.empty() ? "Set " : remedy + ", or set ") + change.words + ": " +
                   binarySizeText(need) + (margin > 1 ? "." : ", which is tight.");
        }
    }
    if (!remedy.empty()) return remedy + ".";
    return "Neither accumulation nor recomputation nor 8-bit moments are enough: make model.width, "
           "model.depth or the clips smaller, or choose " +
           std::string(isNode ? "nodes" : "GPUs") + " with more memory.";
}

std::string samplingRemedy(const config::TrainConfig& config, const DataShape& data, const SamplingLoad& load,
                           bool gpu, const JobMemory& job, const Pool& pool, const RankMemory& memory,
                           bool isNode) {
    const auto remedy = askForMore(job, pool, memory, isNode);
    const auto fits = [&](const SamplingLoad& changed) {
        return pool.need(samplingMemory(config, data, changed, gpu)) <= *pool.bytes;
    };
    auto changed = load;
    std::string change;
    if (changed.joinsAtEachStep = false; load.joinsAtEachStep && fits(changed))
        change = "join the chunks when they are finished (blend linear)";
    else if (changed.guidance = 1; load.guidance != 1 && fits(changed))
        change = "sample without guidance (guidance 1)";
    if (remedy.empty() && change.empty())
        return "Choose " + std::string(isNode ? "nodes" : "GPUs") + " with more memory.";
    if (change.empty()) return remedy + ".";
    if (!remedy.empty()) return remedy + ", or " + change + ".";
    change.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(change.front())));
    return change + ".";
}

using Remedy = std::function<std::string(const Pool&, bool isNode)>;

Fit judged(RankMemory need, const std::string& who, bool gpu, const JobMemory& job, const Remedy& remedyOf) {
    Fit fit;
    fit.need = std::move(need);
    std::vector<std::string> sentences;
    const auto judge = [&](const Pool& pool, bool isNode) {
        const auto verdict = fitVerdict(pool.need(fit.need), pool.bytes);
        sentences.push_back(sentence(pool, fit.need, verdict));
        if (verdict >= FitVerdict::tight && verdict > fit.verdict) fit.remedy = remedyOf(pool, isNode);
        fit.verdict = std::max(fit.verdict, verdict);
    };
    if (gpu) judge(gpuPool(who, fit.need, job), false);
    judge(nodePool(who, fit.need, job), true);
    fit.text = join(sentences, " ");
    return fit;
}

}  // namespace

FitVerdict fitVerdict(const RankMemory& need, const JobMemory& job) {
    const auto ofNode = fitVerdict(static_cast<double>(job.ranksPerNode) * need.hostBytes(), job.nodeBytes);
    return need.gpu.empty() ? ofNode : std::max(ofNode, fitVerdict(need.gpuBytes(), job.gpuBytes));
}

Fit checkFit(const config::TrainConfig& config, const DataShape& data, const Spread& spread,
             const JobMemory& job) {
    const auto need = rankMemory(config, data, spread);
    return judged(need, "Each rank", spread.gpu, job, [&](const Pool& pool, bool isNode) {
        return remedyFor(config, data, spread, job, pool, need, isNode);
    });
}

Fit checkSamplingFit(const config::TrainConfig& config, const DataShape& data, const SamplingLoad& load,
                     bool gpu, const JobMemory& job) {
    const auto need = samplingMemory(config, data, load, gpu);
    return judged(need, "Sampling", gpu, job, [&](const Pool& pool, bool isNode) {
        return samplingRemedy(config, data, load, gpu, job, pool, need, isNode);
    });
}

std::optional<double> gpuMemory(const std::string& name) {
    const std::string lower = lowered(name);
    for (const auto& kind : kGpuKinds)
        if (lower.find(kind.name) != std::string::npos) return kind.gibibytes * kGibibyte;
    return std::nullopt;
}

}  // namespace dailies::planner
