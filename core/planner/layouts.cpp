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
void forEachGrid(const config::TrainConfig& config, const Machines& machines, const Visit& visit) {
    for (const auto pp : divisorsOf(config.model.depth)) {
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

/// Runs of blocks that a stage has: one, or few enough to be worth their sends.
std::vector<std::int64_t> chunksOf(const config::TrainConfig& config, const Layout& layout) {
    std::vector<std::int64_t> chunks{1};
    if (layout.pp == 1 || layout.microBatches % layout.pp != 0) return chunks;
    for (const std::int64_t more : {2, 4})
        if (config.model.depth / layout.pp % more == 0) chunks.push_back(more);
    return chunks;
}

bool isPossible(const config::TrainConfig& config, const Layout& layout) {
    if (!config::layoutProblems(config).empty()) return false;
    try {
        config::layoutOf(config, layout.ranks());
        return true;
    } catch (const InputError&) {
        return false;
    }
}

}  // namespace

std::string Layout::text() const {
    const config::LayoutSizes sizes{dp, ring, ulysses, tp, 1, pp, ppChunks};
    std::string text = sizes.text(shard);
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
            {"layout.pp", pp},
            {"layout.pp_chunks", ppChunks},
            {"layout.shard", shard},
            {"layout.shard_ranks", keyForShardRanks(*this)},
            {"model.recompute", recompute},
            {"optimizer.accumulate", microBatches}};
}

config::TrainConfig Layout::applyTo(const config::TrainConfig& config) const {
    auto changed = config;
    changed.layout.dp = 0;
    changed.layout.cp = cp();
    changed.layout.ring = ring;
    changed.layout.tp = tp;
    changed.layout.pp = pp;
    changed.layout.pp_chunks = ppChunks;
    changed.layout.shard = shard;
    changed.layout.shard_ranks = keyForShardRanks(*this);
    changed.model.recompute = recompute;
    changed.optimizer.accumulate = microBatches;
    return changed;
}

Layout layoutFromConfig(const config::TrainConfig& config, const Machines& machines) {
    const auto sizes = config::layoutOf(config, machines.ranks());
    return {.dp = sizes.dp,
            .ring = sizes.ring,
            .ulysses = sizes.ulysses,
            .tp = sizes.tp,
            .pp = sizes.pp,
            .ppChunks = sizes.ppChunks,
            .shard = sizes.shardRanks > 1 ? config.layout.shard : "none",
            .shardRanks = sizes.shardRanks,
            .recompute = config.model.recompute,
            .microBatches = config.optimizer.accumulate};
}

std::vector<Layout> layoutsOf(const config::TrainConfig& config, const Machines& machines) {
    std::vector<Layout> layouts;
    forEachGrid(config, machines, [&](const Layout& grid) {
        for (const auto& division : divisionsOf(grid, machines)) {
            auto layout = grid;
            layout.shard = division.shard;
            layout.shardRanks = division.ranks;
            if (!isPossible(layout.applyTo(config), layout)) continue;
            for (const auto* recompute : {"none", "selective", "full"}) {
                if (!canRecompute(config.model, recompute)) continue;
                layout.recompute = recompute;
                for (const auto parts : microBatchesOf(config, layout.dp)) {
                    layout.microBatches = parts;
                    for (const auto chunks : chunksOf(config, layout)) {
                        layout.ppChunks = chunks;
                        layouts.push_back(layout);
                    }
                }
            }
        }
    });
    return layouts;
}

RankMemory layoutMemory(const config::TrainConfig& config, const DataShape& data, const Layout& layout,
                        bool gpu) {
    return rankMemory(layout.applyTo(config), data, {.ranks = layout.ranks(), .gpu = gpu});
}

}  // namespace dailies::planner
