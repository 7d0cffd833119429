#include "trainer/data/packed_order.h"

#include <algorithm>
#include <numeric>

namespace dailies::trainer {

namespace {

// Clips that wait to be packed: enough that a step is filled to a few tokens, and cheap to sort. In a small
// data set fewer, so that no clip falls behind the others by more than an epoch or so.
constexpr std::size_t kLargestWindow = 256, kSmallestWindow = 16, kEpochShare = 4;

}  // namespace

PackedOrder::PackedOrder(std::int64_t seed, const std::vector<std::int64_t>& bucketSizes,
                         const BucketTokens& tokens, std::int64_t tokensPerStep)
    : m_order(seed, 0,
              static_cast<std::uint64_t>(
                  std::accumulate(bucketSizes.begin(), bucketSizes.end(), std::int64_t{0}))),
      m_bucketEnds(bucketSizes),
      m_tokens(tokens),
      m_tokensPerStep(tokensPerStep) {
    const auto clips = std::accumulate(bucketSizes.begin(), bucketSizes.end(), std::int64_t{0});
    m_windowSize = std::clamp(static_cast<std::size_t>(clips) / kEpochShare, kSmallestWindow, kLargestWindow);
    std::partial_sum(bucketSizes.begin(), bucketSizes.end(), m_bucketEnds.begin());
}

void PackedOrder::rewind() {
    m_window.clear();
    m_position = 0;
    m_step = 0;
}

void PackedOrder::fillWindow() {
    for (; m_window.size() < m_windowSize; ++m_position) {
        const auto index = static_cast<std::int64_t>(m_order.walk(m_position));
        const auto bucket = std::ranges::upper_bound(m_bucketEnds, index) - m_bucketEnds.begin();
        m_window.push_back({m_position, index, m_tokens[static_cast<std::size_t>(bucket)]});
    }
}

std::vector<std::int64_t> PackedOrder::next() {
    std::vector<Waiting> taken;
    auto room = m_tokensPerStep;
    const auto take = [&](const Waiting& clip) {
        room -= clip.tokens;
        taken.push_back(clip);
    };
    for (bool tookSome = true; tookSome;) {
        tookSome = false;
        fillWindow();
        if (taken.empty()) {
            take(m_window.front());
            m_window.erase(m_window.begin());
            tookSome = true;
        }
        std::ranges::stable_sort(m_window, std::ranges::greater(), &Waiting::tokens);
        std::erase_if(m_window, [&](const Waiting& clip) {
            if (clip.tokens > room) return false;
            take(clip);
            return tookSome = true;
        });
        std::ranges::sort(m_window, {}, &Waiting::position);
    }
    std::ranges::sort(taken, {}, &Waiting::position);
    std::vector<std::int64_t> indices;
    for (const auto& clip : taken) indices.push_back(clip.index);
    return indices;
}

std::vector<std::int64_t> PackedOrder::batch(std::int64_t step) {
    if (step <= m_step) rewind();
    std::vector<std::int64_t> indices;
    for (; m_step < step; ++m_step) indices = next();
    return indices;
}

}  // namespace dailies::trainer
