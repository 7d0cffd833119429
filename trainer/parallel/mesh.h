#pragma once

#include "core/config/layout.h"
#include "trainer/parallel/dist_env.h"

#include <string>
#include <vector>

namespace dailies::trainer {

/// Where a rank stands in its run's layout. Ranks are counted with the axes pp, dp, ring, ulysses, tp, the
/// last fastest: ranks that talk most are neighbours, which Slurm places on one node, and stages, which talk
/// least, are whole runs of ranks. Groups that divide optimizer state (`shard`) are runs of neighbours among
/// those that hold the same weights (one stage, one place on tp), across the other axes.
class Mesh {
public:
    /// Throws `InputError` where the layout does not divide the ranks.
    Mesh(const config::TrainConfig& config, const DistEnv& ranks);

    const config::LayoutSizes& sizes() const { return m_sizes; }

    /// Which share of each batch is this rank's: the same for all that share the tokens of its clips.
    DistEnv dataRanks() const;

    std::int64_t stage() const { return m_ranks.rank / m_sizes.ranksPerStage(); }
    std::int64_t rankInStage() const { return m_ranks.rank % m_sizes.ranksPerStage(); }
    /// Whether this rank's stage computes losses: the last.
    bool isLastStage() const { return stage() + 1 == m_sizes.pp; }

    /// Those that stand at this rank's place in each stage, in the order of the stages.
    std::vector<std::int64_t> pipelineGroup() const;

    // Of this rank's stage:

    /// The ranks that divide the weights themselves.
    std::vector<std::int64_t> tensorGroup() const;
    /// The ranks, this one among them, that differ from it on one axis only. In the order of that axis.
    std::vector<std::int64_t> ulyssesGroup() const;
    std::vector<std::int64_t> ringGroup() const;
    /// All that share the tokens of this rank's clips, in the order of the tokens.
    std::vector<std::int64_t> contextGroup() const;
    /// Those that this rank divides states with, and those that hold the same part as it.
    std::vector<std::int64_t> shardGroup() const;
    std::vector<std::int64_t> replicaGroup() const;

private:
    /// Ranks of the stage as ranks of the run.
    std::vector<std::int64_t> ofStage(std::int64_t step, std::int64_t first, std::int64_t count) const;
    /// The rank's place among those of its slices, and all of these as ranks of the run.
    std::int64_t place() const { return rankInStage() / m_sizes.tp; }
    std::vector<std::int64_t> ofSameSlices(std::int64_t step, std::int64_t first, std::int64_t count) const;

    DistEnv m_ranks;
    config::LayoutSizes m_sizes;
};

}  // namespace dailies::trainer
