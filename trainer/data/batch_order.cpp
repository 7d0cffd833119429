#include "trainer/data/batch_order.h"

#include "core/base/error.h"
#include "core/config/latent_size.h"
#include "trainer/data/data_order.h"
#include "trainer/data/packed_order.h"

#include <algorithm>
#include <numeric>
#include <ranges>

namespace dailies::trainer {

BucketTokens bucketTokens(const config::TrainConfig& config) {
    BucketTokens tokens;
    for (const auto& bucket : config::bucketsOf(config.data)) {
        const auto size = config::modelInputSize(config, bucket);
        const auto patches = [](std::int64_t length, std::int64_t patch) {
            return (length + patch - 1) / patch;
        };
        tokens.push_back(patches(size.frames, config.model.patch_frames) *
                         patches(size.height, config.model.patch_size) *
                         patches(size.width, config.model.patch_size));
    }
    return tokens;
}

std::unique_ptr<BatchOrder> makeBatchOrder(const config::TrainConfig& config,
                                           const std::vector<std::int64_t>& bucketSizes,
                                           const BucketTokens& tokens, std::int64_t ranks,
                                           const std::vector<DataSegment>& segments) {
    const bool generated = std::accumulate(bucketSizes.begin(), bucketSizes.end(), std::int64_t{0}) == 0;
    if (!config.data.packing || generated) {
        if (segments.empty())
            return std::make_unique<DataOrder>(config.seed, bucketSizes, config.data.batch_size);
        auto order = std::make_unique<DataOrder>(config.seed, bucketSizes, segments.front().batchSize,
                                                 segments.front().since);
        for (const auto& next : segments | std::views::drop(1))
            order->changeBatchSize(next.since, next.batchSize);
        return order;
    }
    const auto least = ranks * std::ranges::max(tokens);
    if (config.data.tokens_per_step < least)
        throw InputError("data.tokens_per_step: found " + std::to_string(config.data.tokens_per_step) +
                         ", expected at "
                         "least " +
                         std::to_string(least) + ": the longest clip has " +
                         std::to_string(std::ranges::max(tokens)) + " tokens, and each of " +
                         std::to_string(ranks) + " ranks needs a clip.");
    if (segments.empty())
        return std::make_unique<PackedOrder>(config.seed, bucketSizes, tokens, config.data.tokens_per_step);
    const auto& first = segments.front();
    auto order = std::make_unique<PackedOrder>(config.seed, bucketSizes, first.tokens, first.tokensPerStep,
                                               first.since);
    for (const auto& next : segments | std::views::drop(1))
        order->changeTokens(next.since, next.tokens, next.tokensPerStep);
    return order;
}

std::vector<std::size_t> indicesOfRank(const std::vector<std::int64_t>& tokensOfClips, std::int64_t rank,
                                       std::int64_t ranks) {
    std::vector<std::size_t> places(tokensOfClips.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    if (ranks == 1) return places;
    const auto [least, most] = std::ranges::minmax(tokensOfClips);
    if (least == most) {
        const auto count = places.size(), first = static_cast<std::size_t>(rank),
                   all = static_cast<std::size_t>(ranks);
        return {places.begin() + static_cast<std::ptrdiff_t>(count * first / all),
                places.begin() + static_cast<std::ptrdiff_t>(count * (first + 1) / all)};
    }
    std::ranges::stable_sort(places, std::ranges::greater(),
                             [&](std::size_t place) { return tokensOfClips[place]; });
    std::vector<std::int64_t> load(static_cast<std::size_t>(ranks));
    std::vector<std::size_t> mine;
    for (const auto place : places) {
        const auto idle = std::ranges::min_element(load);
        *idle += tokensOfClips[place];
        if (idle - load.begin() == rank) mine.push_back(place);
    }
    std::ranges::sort(mine);
    return mine;
}

}  // namespace dailies::trainer
