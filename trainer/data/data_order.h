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
class DataOrder : public BatchOrder {
public:
    DataOrder(std::int64_t seed, const std::vector<std::int64_t>& bucketSizes, std::int64_t batchSize);

    std::vector<std::int64_t> batch(std::int64_t step) override;

    /// The clip for sample `sample` (0 … batchSize-1, over all ranks) of step `step` (1, 2, …).
    std::int64_t index(std::int64_t step, std::int64_t sample) const;

private:
    struct Bucket {
        KeyedPermutation order;
        std::uint64_t size;
        std::uint64_t first;  ///< index of its first clip
    };
    /// A bucket's batch, counted from the run's start.
    struct Turn {
        const Bucket* bucket;
        std::uint64_t batch;
    };

    Turn turnOf(std::uint64_t batch) const;
    std::uint64_t batchesBefore(std::uint64_t epoch) const;
    std::uint64_t endedBefore(const Bucket& bucket, std::uint64_t epoch) const {
        return epoch * bucket.size / m_batchSize;
    }

    std::int64_t m_seed;
    std::uint64_t m_batchSize;
    std::vector<Bucket> m_buckets;  ///< those that hold clips; none where clips are generated
};

}  // namespace dailies::trainer
