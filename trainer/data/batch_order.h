#pragma once

#include "core/config/bucket.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace dailies::trainer {

/// Which clips a step takes: a pure function of (seed, data, step), so that a resumed run, on any number of
/// ranks and workers, repeats and skips nothing. In every epoch each clip is taken exactly once. One thread.
class BatchOrder {
public:
    virtual ~BatchOrder() = default;

    /// The clips of step `step` (1, 2, …), over all ranks, by their places in the global batch. Asking for
    /// steps in order is cheap.
    virtual std::vector<std::int64_t> batch(std::int64_t step) = 0;
};

/// How long each bucket's clips are for the model.
using BucketTokens = std::vector<std::int64_t>;

/// Steps that take their clips by one rule, from the step after `since` on: `batchSize` clips of one bucket,
/// or, where that is 0, packed, as many as `tokensPerStep` holds.
struct DataSegment {
    std::int64_t since = 0;
    std::int64_t batchSize = 0;
    std::int64_t tokensPerStep = 0;
    BucketTokens tokens = {};  ///< of the model that they are packed for
    bool operator==(const DataSegment&) const = default;
};

/// The tokens of a clip of each bucket.
BucketTokens bucketTokens(const config::TrainConfig& config);

/// The order that the config asks for: data.batch_size clips of one bucket a step, or packed. `segments`: by
/// which rules a run that resumes took clips, the config's last; none where the config's holds from the first
/// step on. Throws `InputError` where a step's tokens would not give each of `ranks` ranks a clip.
std::unique_ptr<BatchOrder> makeBatchOrder(const config::TrainConfig& config,
                                           const std::vector<std::int64_t>& bucketSizes,
                                           const BucketTokens& tokens, std::int64_t ranks,
                                           const std::vector<DataSegment>& segments = {});

/// The places of a global batch that rank `rank` of `ranks` takes, ascending. Equal parts where all clips
/// have equally many tokens; else each clip, the longest first, goes to the rank that has the fewest tokens
/// so far.
std::vector<std::size_t> indicesOfRank(const std::vector<std::int64_t>& tokensOfClips, std::int64_t rank,
                                       std::int64_t ranks);

}  // namespace dailies::trainer
