#pragma once

#include "trainer/data/batch_order.h"
#include "trainer/data/data_order.h"

#include <deque>

namespace dailies::trainer {

/// Global batches that mix clips of all buckets, as many as a number of tokens holds.
///
/// All clips are walked in epochs, each in its own order. A window of the walk waits to be packed: a step
/// takes the clip that has waited longest and then, the longest first, every other of the window that still
/// fits (first-fit decreasing). What does not fit stays in the window, also over the end of an epoch, so that
/// nothing is left out or taken twice. What a step takes follows from the steps before it: a step far ahead,
/// as after a resumption, replays them, some million clips a second. Where the tokens of a step change, the
/// window and the walk go on.
class PackedOrder : public BatchOrder {
public:
    /// The step after `since` takes the first clips.
    PackedOrder(std::int64_t seed, const std::vector<std::int64_t>& bucketSizes, const BucketTokens& tokens,
                std::int64_t tokensPerStep, std::int64_t since = 0);

    /// From the step after `step` on, steps hold so many tokens and clips have so many. Steps up to `step`
    /// may not be asked for any more.
    void changeTokens(std::int64_t step, const BucketTokens& tokens, std::int64_t tokensPerStep);

    std::vector<std::int64_t> batch(std::int64_t step) override;

private:
    struct Waiting {
        std::uint64_t position;  ///< in the walk
        std::int64_t index;
        std::int64_t tokens;
    };

    /// Behind a step.
    struct State {
        std::vector<Waiting> window;  ///< in the order of the walk
        std::uint64_t position = 0;   ///< of the walk, behind the window
        std::int64_t step = 0;
    };

    std::vector<std::int64_t> next();
    void fillWindow();
    std::int64_t tokensOf(std::int64_t index) const;

    KeyedPermutation m_order;
    std::vector<std::int64_t> m_bucketEnds;
    BucketTokens m_tokens;
    std::int64_t m_tokensPerStep;
    std::size_t m_windowSize = 0;
    State m_first;  ///< where the tokens changed last, or the start
    State m_at;     ///< behind the step taken last
};

}  // namespace dailies::trainer
