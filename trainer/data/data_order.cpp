#include "trainer/data/data_order.h"

#include "trainer/random.h"

namespace dailies::trainer {

DataOrder::DataOrder(std::int64_t seed, std::int64_t size, std::int64_t batchSize)
    : m_seed(seed),
      m_size(static_cast<std::uint64_t>(size)),
      m_batchSize(static_cast<std::uint64_t>(batchSize)) {
    while ((std::uint64_t{1} << (2 * m_halfBits)) < m_size) ++m_halfBits;
}

std::int64_t DataOrder::index(std::int64_t step, std::int64_t sample) const {
    const std::uint64_t position =
        static_cast<std::uint64_t>(step - 1) * m_batchSize + static_cast<std::uint64_t>(sample);
    if (m_size == 0) return static_cast<std::int64_t>(position);
    return static_cast<std::int64_t>(permuted(position / m_size, position % m_size));
}

std::uint64_t DataOrder::permuted(std::uint64_t epoch, std::uint64_t position) const {
    const std::uint64_t mask = (std::uint64_t{1} << m_halfBits) - 1;
    // Cycle walking: the network permutes a power of four; values beyond the data set are sent through again,
    // and since it is a permutation the walk comes back into range.
    do {
        std::uint64_t left = position >> m_halfBits;
        std::uint64_t right = position & mask;
        for (std::uint64_t round = 0; round < 4; ++round) {
            const auto scrambled = randomKey(m_seed, Stream::data_order, epoch * 4 + round, right);
            const auto next = left ^ (scrambled & mask);
            left = right;
            right = next;
        }
        position = (left << m_halfBits) | right;
    } while (position >= m_size);
    return position;
}

}  // namespace dailies::trainer
