#pragma once

#include "core/config/layout.h"
#include "core/planner/memory.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace dailies::planner {

/// The machines of a run: as many ranks on each node as it has GPUs, or as many as are asked for on CPUs.
struct Machines {
    std::int64_t nodes = 1;
    std::int64_t ranksPerNode = 8;

    std::int64_t ranks() const { return nodes * ranksPerNode; }
};

/// One way to spread a run over its ranks: what the keys of `layout`, model.recompute and
/// optimizer.accumulate say together. dp · pp · cp · tp ranks; a stage of a pipeline is made of neighbours.
struct Layout {
    std::int64_t dp = 1, ring = 1, ulysses = 1, tp = 1;
    std::int64_t pp = 1;  ///< stages of a pipeline, each with depth / pp blocks
    std::int64_t ppChunks = 1;
    std::string shard = "none";
    std::int64_t shardRanks = 1;  ///< over how many `shard` divides
    std::string recompute = "none";
    std::int64_t microBatches = 1;  ///< parts of a rank's share of a step, one after the other

    std::int64_t cp() const { return ring * ulysses; }
    std::int64_t ranks() const { return dp * pp * cp() * tp; }
    bool operator==(const Layout&) const = default;

    /// "pp 2 × dp 4 × cp 2 (Ulysses 2), zero1 over 8 ranks, recompute full, 4 micro-batches".
    std::string text() const;
    /// The keys of a configuration that say it, with their values.
    std::vector<std::pair<std::string, Json>> settings() const;
    /// The configuration with these keys.
    config::TrainConfig applyTo(const config::TrainConfig& config) const;
};

/// The configuration's own layout. Throws `InputError` as `config::layoutOf`.
Layout layoutFromConfig(const config::TrainConfig& config, const Machines& machines);

/// Every layout that a run of this configuration could have on so many ranks: its heads, tokens, blocks and
/// clips divide into it, and `config::layoutProblems` finds nothing. Tensor parallelism stays within a node.
/// Clips, batch and model are as configured. Throws `InputError` for buckets that are none.
std::vector<Layout> layoutsOf(const config::TrainConfig& config, const Machines& machines);

/// The most memory that a rank of this layout holds.
RankMemory layoutMemory(const config::TrainConfig& config, const DataShape& data, const Layout& layout,
                        bool gpu);

}  // namespace dailies::planner
