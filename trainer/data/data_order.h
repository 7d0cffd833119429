#pragma once

#include <cstdint>

namespace dailies::trainer {

/// Which clips a step takes: a pure function of (seed, step, sample), so that a resumed run, on any number of
/// ranks, repeats and skips nothing.
///
/// A finite data set is walked in epochs, each in an order of its own: a keyed Feistel permutation of the
/// indices, which needs no memory and finds any position at once. A batch may span the border of two epochs.
/// A generated data set (size 0) gives every sample a fresh index.
class DataOrder {
public:
    DataOrder(std::int64_t seed, std::int64_t size, std::int64_t batchSize);

    /// The clip for sample `sample` (0 … batchSize-1, over all ranks) of step `step` (1, 2, …).
    std::int64_t index(std::int64_t step, std::int64_t sample) const;

private:
    std::uint64_t permuted(std::uint64_t epoch, std::uint64_t position) const;

    std::int64_t m_seed;
    std::uint64_t m_size;
    std::uint64_t m_batchSize;
    int m_halfBits = 1;  ///< the permutation works on 2·m_halfBits bits, the fewest that hold every index
};

}  // namespace dailies::trainer
