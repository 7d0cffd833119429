#include "trainer/data/data_order.h"

#include "trainer/tensors/random.h"

#include <algorithm>
#include <iterator>
#include <ranges>

namespace dailies::trainer {

namespace {

constexpr std::uint64_t kBatches = 0xffff;  // in the place of a bucket: the order of an epoch's batches

}  // namespace

KeyedPermutation::KeyedPermutation(std::int64_t seed, std::uint64_t bucket, std::uint64_t size)
    : m_seed(seed), m_bucket(bucket), m_size(size) {
    while ((std::uint64_t{1} << (2 * m_halfBits)) < m_size) ++m_halfBits;
}

std::uint64_t KeyedPermutation::at(std::uint64_t epoch, std::uint64_t position) const {
    const std::uint64_t mask = (std::uint64_t{1} << m_halfBits) - 1;
    // Cycle walking: the network permutes a power of four; values beyond the data set are sent through again,
    // and since it is a permutation the walk comes back into range.
    do {
        std::uint64_t left = position >> m_halfBits;
        std::uint64_t right = position & mask;
        for (std::uint64_t round = 0; round < 4; ++round) {
            const auto scrambled =
                randomKey(m_seed, Stream::data_order, m_bucket << 48 | (epoch * 4 + round), right);
            const auto next = left ^ (scrambled & mask);
            left = right;
            right = next;
        }
        position = (left << m_halfBits) | right;
    } while (position >= m_size);
    return position;
}

DataOrder::DataOrder(std::int64_t seed, const std::vector<std::int64_t>& bucketSizes, std::int64_t batchSize,
                     std::int64_t since)
    : m_seed(seed), m_batchSize(static_cast<std::uint64_t>(batchSize)), m_since(since) {
    std::uint64_t first = 0;
    for (std::size_t i = 0; i < bucketSizes.size(); ++i) {
        const auto size = static_cast<std::uint64_t>(bucketSizes[i]);
        if (size > 0) m_buckets.push_back({KeyedPermutation(seed, i, size), size, first});
        first += size;
    }
}

std::uint64_t DataOrder::batchesBefore(std::uint64_t epoch) const {
    std::uint64_t count = 0;
    for (const auto& bucket : m_buckets) count += endedBefore(bucket, epoch);
    return count;
}

std::uint64_t DataOrder::Consumed::left(std::uint64_t n) const {
    // Of those behind, the i-th has behind[i] - before - i positions before it that were not taken: these
    // grow
    const auto places = std::views::iota(std::size_t{0}, behind.size());
    const auto first =
        std::ranges::partition_point(places, [&](std::size_t i) { return behind[i] - before - i <= n; });
    return before + n + static_cast<std::uint64_t>(first - places.begin());
}

std::uint64_t DataOrder::Consumed::leftBelow(std::uint64_t position) const {
    if (position <= before) return 0;
    const auto taken = std::ranges::lower_bound(behind, position) - behind.begin();
    return position - before - static_cast<std::uint64_t>(taken);
}

std::uint64_t DataOrder::epochOf(std::uint64_t batch) const {
    std::uint64_t after = 1;
    while (batchesBefore(after) <= batch) after *= 2;
    std::uint64_t epoch = after / 2;  // the epoch lies in [epoch, after)
    while (after - epoch > 1) {
        const auto middle = epoch + (after - epoch) / 2;
        (batchesBefore(middle) <= batch ? epoch : after) = middle;
    }
    return epoch;
}

DataOrder::BucketBatch DataOrder::bucketBatchOf(std::uint64_t batch) const {
    // With one bucket this is the identity: its batches are in a random order as they are.
    if (m_buckets.size() == 1) return {&m_buckets[0], batch};
    const auto epoch = epochOf(batch);
    const auto before = batchesBefore(epoch);
    const KeyedPermutation order(m_seed, kBatches, batchesBefore(epoch + 1) - before);
    auto place = order.at(epoch, batch - before);
    for (const auto& bucket : m_buckets) {
        const auto ended = endedBefore(bucket, epoch), ends = endedBefore(bucket, epoch + 1) - ended;
        if (place < ends) return {&bucket, ended + place};
        place -= ends;
    }
    return {&m_buckets[0], batch};  // not reached: the places of an epoch are its buckets' batches
}

std::int64_t DataOrder::clip(const BucketBatch& bucketBatch, std::uint64_t sample) const {
    const auto& [bucket, batch] = bucketBatch;
    const auto position = bucket->consumed.left(batch * m_batchSize + sample);
    return static_cast<std::int64_t>(bucket->first + bucket->order.walk(position));
}

void DataOrder::changeBatchSize(std::int64_t step, std::int64_t batchSize) {
    const auto count = batchOf(step + 1);
    m_generated += count * m_batchSize;
    if (!m_buckets.empty()) {
        // all batches that end before the epoch under way were taken, and of its own the turns so far
        const auto epoch = m_buckets.size() == 1 ? 0 : epochOf(count);
        std::vector<Consumed> taken;
        for (const auto& bucket : m_buckets) {
            const auto ended = m_buckets.size() == 1 ? count : endedBefore(bucket, epoch);
            taken.push_back({bucket.consumed.left(ended * m_batchSize), {}});
            std::ranges::copy_if(bucket.consumed.behind, std::back_inserter(taken.back().behind),
                                 [&](std::uint64_t position) { return position > taken.back().before; });
        }
        for (auto batch = batchesBefore(epoch); m_buckets.size() > 1 && batch < count; ++batch) {
            const auto bucketBatch = bucketBatchOf(batch);
            auto& behind = taken[static_cast<std::size_t>(bucketBatch.bucket - m_buckets.data())].behind;
            for (std::uint64_t i = 0; i < m_batchSize; ++i)
                behind.push_back(bucketBatch.bucket->consumed.left(bucketBatch.batch * m_batchSize + i));
        }
        for (std::size_t i = 0; i < m_buckets.size(); ++i) {
            std::ranges::sort(taken[i].behind);
            m_buckets[i].consumed = std::move(taken[i]);
        }
    }
    m_since = step;
    m_batchSize = static_cast<std::uint64_t>(batchSize);
}

std::int64_t DataOrder::index(std::int64_t step, std::int64_t sample) const {
    const auto batch = batchOf(step);
    if (m_buckets.empty()) return static_cast<std::int64_t>(m_generated + batch * m_batchSize) + sample;
    return clip(bucketBatchOf(batch), static_cast<std::uint64_t>(sample));
}

std::vector<std::int64_t> DataOrder::batch(std::int64_t step) {
    std::vector<std::int64_t> indices(m_batchSize);
    if (m_buckets.empty()) {
        for (std::uint64_t i = 0; i < m_batchSize; ++i)
            indices[i] = index(step, static_cast<std::int64_t>(i));
        return indices;
    }
    const auto bucketBatch = bucketBatchOf(batchOf(step));
    for (std::uint64_t i = 0; i < m_batchSize; ++i) indices[i] = clip(bucketBatch, i);
    return indices;
}

}  // namespace dailies::trainer
