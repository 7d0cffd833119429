#include "core/planner/layouts.h"

#include "core/base/error.h"
#include "core/planner/activations.h"

#include <algorithm>

namespace dailies::planner {

namespace {

std::vector<std::int64_t> divisorsOf(std::int64_t number) {
    std::vector<std::int64_t> divisors;
    for (std::int64_t divisor = 1; divisor <= number; ++divisor)
        if (number % divisor == 0) divisors.push_back(divisor);
    return divisors;
}

/// Calls `visit` with each way to spread the ranks over the axes that the model divides into.
template <class Visit>
void forEachGrid(const config::TrainConfig& config, const Machines& machines, bool withPipelines,
                 const Visit& visit) {
    const auto stages = withPipelines ? divisorsOf(config.model.depth) : std::vector<std::int64_t>{1};
    for (const auto pp : stages) {
        if (machines.ranks() % pp != 0) continue;
        for (const auto tp : divisorsOf(machines.ranks() / pp)) {
            if (tp > machines.ranksPerNode || machines.ranksPerNode % tp != 0) continue;
            for (const auto cp : divisorsOf(machines.ranks() / pp / tp)) {
                const auto dp = machines.ranks() / pp / tp / cp;
                if (!config.data.packing && config.data.batch_size % dp != 0) continue;
                for (const auto ring : divisorsOf(cp))
                    visit(Layout{.dp = dp, .ring = ring, .ulysses = cp / ring, .tp = tp, .pp = pp});
            }
        }
    }
}

struct Division {
    std::string shard;
    std::int64_t ranks;
};

/// Over all ranks that hold the same weights, or over those of a node, whose groups are copies then.
std::vector<Division> divisionsOf(const Layout& grid, const Machines& machines) {
    std::vector<Division> divisions{{"none", 1}};
    const auto alike = grid.dp * grid.cp(), inNode = machines.ranksPerNode / grid.tp;
    for (const auto* shard : {"zero1", "zero2", "zero3"}) {
        if (alike > 1) divisions.push_back({shard, alike});
        if (inNode > 1 && inNode < alike && alike % inNode == 0) divisions.push_back({shard, inNode});
    }
    return divisions;
}

std::vector<std::int64_t> microBatchesOf(const config::TrainConfig& config, std::int64_t dp) {
    if (config.data.packing) return {1};
    return divisorsOf(config.data.batch_size / dp);
}

/// What layout.shard_ranks says: 0 where `shard` divides over all that it can, or not at all.
std::int64_t keyForShardRanks(const Layout& layout) {
    const bool overAll = layout.shard == "none" || layout.shardRanks == layout.dp * layout.cp();
    return overAll ? 0 : layout.shardRanks;
}

bool isPossible(const config::TrainConfig& config, const Layout& layout) {
    if (!config::layoutProblems(config).empty()) return false;
    try {
        config::layoutOf(config, layout.ranks() / layout.pp);
        return true;
    } catch (const InputError&) {
        return false;
    }
}

}  // namespace

std::string Layout::text() const {
    const config::LayoutSizes sizes{dp, ring, ulysses, tp, 1};
    std::string text = sizes.text(shard);
    if (pp > 1) text += " × pp " + std::to_string(pp);
    if (shardRanks > 1) text += ", " + shard + " over " + std::to_string(shardRanks) + " ranks";
    if (recompute != "none") text += ", recompute " + recompute;
    if (microBatches > 1) text += ", " + std::to_string(microBatches) + " micro-batches";
    return text;
}

std::vector<std::pair<std::string, Json>> Layout::settings() const {
    return {{"layout.dp", 0},
            {"layout.cp", cp()},
            {"layout.ring", ring},
            {"layout.tp", tp},
            {"layout.shard", shard},
            {"layout.shard_ranks", keyForShardRanks(*this)},
            {"model.recompute", recompute},
            {"optimizer.accumulate", microBatches}};
}

config::TrainConfig Layout::in(const config::TrainConfig& config) const {
    auto changed = config;
    changed.layout.dp = 0;
    changed.layout.cp = cp();
    changed.layout.ring = ring;
    changed.layout.tp = tp;
    changed.layout.shard = shard;
    changed.layout.shard_ranks = keyForShardRanks(*this);
    changed.model.recompute = recompute;
    changed.optimizer.accumulate = microBatches;
    return changed;
}

Layout layoutIn(const config::TrainConfig& config, const Machines& machines) {
    const auto sizes = config::layoutOf(config, machines.ranks());
    return {.dp = sizes.dp,
            .ring = sizes.ring,
            .ulysses = sizes.ulysses,
            .tp = sizes.tp,
            .shard = sizes.shardRanks > 1 ? config.layout.shard : "none",
            .shardRanks = sizes.shardRanks,
            .recompute = config.model.recompute,
            .microBatches = config.optimizer.accumulate};
}

std::vector<Layout> layoutsOf(const config::TrainConfig& config, const Machines& machines,
                              bool withPipelines) {
    std::vector<Layout> layouts;
    forEachGrid(config, machines, withPipelines, [&](Layout layout) {
        for (const auto& division : divisionsOf(layout, machines)) {
            layout.shard = division.shard;
            layout.shardRanks = division.ranks;
            if (!isPossible(layout.in(config), layout)) continue;
            for (const auto* recompute : {"none", "selective", "full"}) {
                layout.recompute = recompute;
                for (const auto parts : microBatchesOf(config, layout.dp)) {
                    layout.microBatches = parts;
                    layouts.push_back(layout);
                }
            }
        }
    });
    return layouts;
}

RankMemory layoutMemory(const config::TrainConfig& config, const DataShape& data, const Layout& layout,
                        bool gpu) {
    auto stage = layout.in(config);
    stage.model.depth /= layout.pp;
    auto memory = rankMemory(stage, data, {.ranks = layout.ranks() / layout.pp, .gpu = gpu});
    const auto waiting = std::min(layout.pp, layout.microBatches) - 1;
    if (waiting == 0) return memory;
    double kept = 0;
    for (const auto& clip : clipShapes(stage)) {
        const auto parts = static_cast<double>(layout.dp * layout.microBatches);
        const double clips = config.data.packing
                                 ? static_cast<double>(config.data.tokens_per_step) /
                                       static_cast<double>(layout.dp) / static_cast<double>(clip.tokens)
                                 : static_cast<double>(config.data.batch_size) / parts;
        kept = std::max(kept,
                        activations(stage, data, clip, clips, gpu).kept / static_cast<double>(layout.cp()));
    }
    for (auto& part : gpu ? memory.gpu : memory.host)
        if (part.name == "activations") part.bytes += kept * static_cast<double>(waiting);
    return memory;
}

}  // namespace dailies::planner
