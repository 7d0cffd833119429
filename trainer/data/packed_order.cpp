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
                         const BucketTokens& tokens, std::int64_t tokensPerStep, std::int64_t since)
    : m_order(seed, 0,
              static_cast<std::uint64_t>(
                  std::accumulate(bucketSizes.begin(), bucketSizes.end(), std::int64_t{0}))),
      m_bucketEnds(bucketSizes),
      m_tokens(tokens),
      m_tokensPerStep(tokensPerStep),
      m_first{{}, 0, since},
      m_at(m_first) {
    const auto clips = std::accumulate(bucketSizes.begin(), bucketSizes.end(), std::int64_t{0});
    m_windowSize = std::clamp(static_cast<std::size_t>(clips) / kEpochShare, kSmallestWindow, kLargestWindow);
    std::partial_sum(bucketSizes.begin(), bucketSizes.end(), m_bucketEnds.begin());
}

std::int64_t PackedOrder::tokensOf(std::int64_t index) const {
    const auto bucket = std::ranges::upper_bound(m_bucketEnds, index) - m_bucketEnds.begin();
    return m_tokens[static_cast<std::size_t>(bucket)];
}

void PackedOrder::fillWindow() {
    auto& [window, position, step] = m_at;
    for (; window.size() < m_windowSize; ++position) {
        const auto index = static_cast<std::int64_t>(m_order.walk(position));
        window.push_back({position, index, tokensOf(index)});
    }
}

void PackedOrder::changeTokens(std::int64_t step, const BucketTokens& tokens, std::int64_t tokensPerStep) {
    if (step > m_at.step) batch(step);
    m_tokens = tokens;
    m_tokensPerStep = tokensPerStep;
    for (auto& clip : m_at.window) clip.tokens = tokensOf(clip.index);
    m_first = m_at;
}

std::vector<std::int64_t> PackedOrder::next() {
    auto& window = m_at.window;
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
            take(window.front());
            window.erase(window.begin());
            tookSome = true;
        }
        std::ranges::stable_sort(window, std::ranges::greater(), &Waiting::tokens);
        std::erase_if(window, [&](const Waiting& clip) {
            if (clip.tokens > room) return false;
            take(clip);
            return tookSome = true;
        });
        std::ranges::sort(window, {}, &Waiting::position);
    }
    std::ranges::sort(taken, {}, &Waiting::position);
    std::vector<std::int64_t> indices;
    for (const auto& clip : taken) indices.push_back(clip.index);
    return indices;
}

std::vector<std::int64_t> PackedOrder::batch(std::int64_t step) {
    if (step <= m_at.step) m_at = m_first;
    std::vector<std::int64_t> indices;
    for (; m_at.step < step; ++m_at.step) indices = next();
    return indices;
}

}  // namespace dailies::trainer
