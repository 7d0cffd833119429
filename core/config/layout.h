#pragma once

#include "core/config/train_config.h"

#include <string>
#include <vector>

namespace dailies::config {

/// How a run is spread over its ranks: pp · dp · cp · tp of them, where cp = ring · ulysses.
struct LayoutSizes {
    std::int64_t dp = 1;
    std::int64_t ring = 1;
    std::int64_t ulysses = 1;
    std::int64_t tp = 1;
    /// Over how many of those that hold the same weights `layout.shard` divides; 1: nothing is.
    std::int64_t shardRanks = 1;
    /// Stages of the pipeline, and of how many runs of blocks each has some.
    std::int64_t pp = 1;
    std::int64_t ppChunks = 1;

    std::int64_t cp() const { return ring * ulysses; }
    /// Ranks of a stage that take the same clips, each some of their tokens.
    std::int64_t ranksPerClip() const { return cp() * tp; }
    std::int64_t ranksPerStage() const { return dp * ranksPerClip(); }
    std::int64_t ranks() const { return pp * ranksPerStage(); }
    /// "pp 2 (2 chunks) × dp 4 × cp 2 (Ulysses 2) × tp 2, zero1 over 8 ranks".
    std::string text(const std::string& shard) const;
};

/// What no number of ranks could make of `layout`: one sentence each, naming the key, what was found and the
/// nearest that would be accepted.
std::vector<std::string> layoutProblems(const TrainConfig& config);

/// Runs of at least so many steps prove their layout with `layout.certificate` auto: a shorter one has not
/// much to lose.
inline constexpr std::int64_t kStepsWorthProving = 1000;

/// Whether a run of so many ranks proves its layout before its first step. One process has none.
bool provesLayout(const TrainConfig& config, std::int64_t ranks);

/// The layout of a run of so many ranks. Throws `InputError` with the nearest choices where they do not
/// divide into it.
LayoutSizes layoutOf(const TrainConfig& config, std::int64_t ranks);

}  // namespace dailies::config
