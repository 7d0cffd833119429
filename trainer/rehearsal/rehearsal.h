#pragma once

#include "core/config/layout.h"
#include "core/planner/weight_sizes.h"
#include "trainer/parallel/traffic.h"
#include "trainer/rehearsal/collective_match.h"
#include "trainer/rehearsal/links.h"

#include <map>
#include <string>
#include <vector>

namespace dailies::trainer {

/// What is rehearsed.
struct RehearsedRun {
    const config::TrainConfig& config;
    planner::DataShape data;  ///< what the model takes from its data
    std::int64_t ranks = 1;
    std::int64_t ranksPerNode = 8;
    bool gpu = false;  ///< ranks compute on GPUs: the kernels of models/layers/cuda keep less than LibTorch's
                       ///< operations
};

/// The memory of one rank's tensors, in bytes, measured by their sizes as its code makes them and lets them
/// go.
struct RehearsedMemory {
    std::int64_t weights = 0;    ///< and bfloat16 copies of them
    std::int64_t gradients = 0;  ///< that stay from step to step
    std::int64_t moments = 0;
    std::int64_t average = 0;
    std::int64_t batch = 0;
    /// When a backward pass begins, beyond all these: what autograd saved for it, and with zero3 what is
    /// gathered.
    std::int64_t savedForBackward = 0;
    std::int64_t peak = 0;  ///< of all at one moment of the step

    void raiseTo(const RehearsedMemory& other);  ///< the larger of each
};

/// Ranks that ask for the same collectives in the same order, each among its own.
struct RankKind {
    std::vector<std::int64_t> ranks;
    Traffic traffic;         ///< of one of them in a step
    RehearsedMemory memory;  ///< the largest of them
};

/// What a rank makes of a step.
struct RehearsedRank {
    RecordedRank recorded;
    Traffic traffic;
    RehearsedMemory memory;
    std::int64_t checkpointBytes = 0;  ///< of the tensors that it writes
};

struct Rehearsal {
    config::LayoutSizes layout;
    CollectiveMatch agreement;
    std::vector<RankKind> kinds;  ///< by their first rank
    LinkBytes links;
    RehearsedMemory memory;  ///< the largest of all ranks
    std::int64_t checkpointBytes = 0;
    std::int64_t clips = 0, tokensOfClip = 0;  ///< the global batch that was rehearsed
    double seconds = 0;
};

/// One step of one rank, by the code that trains: forward, backward, sums over ranks and update, with weights
/// and batch on the meta device, which has sizes and no memory. Numbers are not computed. The loss is taken
/// to be finite, and gradients are clipped where the configuration asks. Throws as `rehearse`.
RehearsedRank rehearseRank(const RehearsedRun& run, std::int64_t rank);

/// Every rank in turn, on as many threads as the machine has CPUs, and whether they agree. The batch is of
/// the bucket with most tokens; captions are as long as they may be. Throws `InputError` as a run does for a
/// layout or a batch that does not divide over the ranks.
Rehearsal rehearse(const RehearsedRun& run);

/// What was found of these ranks, which are all of a run's.
Rehearsal conclusionOf(const RehearsedRun& run, const std::vector<RehearsedRank>& ranks);

}  // namespace dailies::trainer
