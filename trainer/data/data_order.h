#pragma once

#include "trainer/data/batch_order.h"

namespace dailies::trainer {

/// The indices 0 … size-1 of one bucket, in an order of its own for each epoch: a keyed Feistel permutation,
/// which needs no memory and finds any position at once.
class KeyedPermutation {
public:
    KeyedPermutation(std::int64_t seed, std::uint64_t bucket, std::uint64_t size);

    std::uint64_t at(std::uint64_t epoch, std::uint64_t position) const;

    /// Position `position` of the endless walk through all epochs.
    std::uint64_t walk(std::uint64_t position) const { return at(position / m_size, position % m_size); }

private:
    std::int64_t m_seed;
    std::uint64_t m_bucket;
    std::uint64_t m_size;
    int m_halfBits = 1;  ///< the permutation works on 2·m_halfBits bits, the fewest that hold every index
};

/// Global batches of `batchSize` clips of one bucket each.
///
/// Every bucket is walked in epochs of its own order, and its batches follow one another through the walk: a
/// batch may span the border of two epochs, so no clip is left over or taken twice. How many batches of each
/// bucket end in an epoch, and therefore which batch a step takes, has a closed form; the batches of an epoch
/// come in a permuted order. A generated data set (one bucket of size 0) gives every sample a fresh index.
///
/// Where the batch size changes at a step, the walks go on: the clips that the steps before it took are left
/// out of the epoch under way.
class DataOrder : public BatchOrder {
public:
    /// The step after `since` takes the first batch.
    DataOrder(std::int64_t seed, const std::vector<std::int64_t>& bucketSizes, std::int64_t batchSize,
              std::int64_t since = 0);

    /// From the step after `step` on, batches hold `batchSize` clips. Steps up to `step` may not be asked for
    /// any more.
    void changeBatchSize(std::int64_t step, std::int64_t batchSize);

    std::vector<std::int64_t> batch(std::int64_t step) override;

    /// The clip for sample `sample` (0 … batchSize-1, over all ranks) of step `step` (1, 2, …).
    std::int64_t index(std::int64_t step, std::int64_t sample) const;

private:
    /// Positions of a walk that were taken before the batch size changed last: all below `before`, and some
    /// behind it, because the batches of an epoch come in a permuted order.
    struct Consumed {
        std::uint64_t before = 0;
        std::vector<std::uint64_t> behind = {};  ///< ascending

        /// The n-th position that was not taken.
        std::uint64_t left(std::uint64_t n) const;
        /// How many below `position` were not taken.
        std::uint64_t leftBelow(std::uint64_t position) const;
    };
    struct Bucket {
        KeyedPermutation order;
        std::uint64_t size;
        std::uint64_t first;  ///< index of its first clip
        Consumed consumed = {};
    };
    /// A bucket's batch, counted from the last change of the batch size.
    struct BucketBatch {
        const Bucket* bucket;
        std::uint64_t batch;
    };

    std::uint64_t epochOf(std::uint64_t batch) const;
    BucketBatch bucketBatchOf(std::uint64_t batch) const;
    std::int64_t clip(const BucketBatch& bucketBatch, std::uint64_t sample) const;
    /// Of a step, counted from the last change of the batch size.
    std::uint64_t batchOf(std::int64_t step) const { return static_cast<std::uint64_t>(step - 1 - m_since); }
    std::uint64_t batchesBefore(std::uint64_t epoch) const;
    std::uint64_t endedBefore(const Bucket& bucket, std::uint64_t epoch) const {
        return bucket.consumed.leftBelow(epoch * bucket.size) / m_batchSize;
    }

    std::int64_t m_seed;
    std::uint64_t m_batchSize;
    std::int64_t m_since = 0;       ///< the step after which batches have this size
    std::uint64_t m_generated = 0;  ///< clips up to it, where clips are generated
    std::vector<Bucket> m_buckets;  ///< those that hold clips; none where clips are generated
};

}  // namespace dailies::trainer
