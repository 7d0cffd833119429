#include "trainer/parallel/flat_layout.h"

#include <torch/types.h>

#include <algorithm>

namespace dailies::trainer {

namespace {

std::int64_t roundedUp(std::int64_t value, std::int64_t unit) {
    return (value + unit - 1) / unit * unit;
}

}  // namespace

FlatLayout::FlatLayout(const Params& weights, std::int64_t ranks, std::int64_t bucketBytes) : m_ranks(ranks) {
    // what nobody divides needs no room between the weights
    const auto unit = ranks > 1 ? kUnit : 1;
    std::int64_t end = 0;
    const auto close = [&] {
        if (end > 0) m_sizes.push_back(roundedUp(end, unit * ranks));
        end = 0;
    };
    for (const auto& weight : weights.tensors()) {
        const auto elements = weight.numel();
        if ((end + elements) * static_cast<std::int64_t>(sizeof(float)) > bucketBytes) close();
        m_places.push_back({m_sizes.size(), end, elements});
        end = roundedUp(end + elements, unit);
    }
    close();
}

FlatLayout::FlatLayout(const Params& weights, std::int64_t ranks, const std::vector<std::size_t>& bucketOf)
    : m_ranks(ranks), m_sizes(std::ranges::max(bucketOf) + 1) {
    const auto unit = ranks > 1 ? kUnit : 1;
    for (std::size_t i = 0; i < bucketOf.size(); ++i) {
        const auto elements = weights.tensors()[i].numel();
        auto& end = m_sizes[bucketOf[i]];
        m_places.push_back({bucketOf[i], end, elements});
        end = roundedUp(end + elements, unit);
    }
    for (auto& size : m_sizes) size = roundedUp(size, unit * ranks);
}

std::vector<FlatLayout::Shard> FlatLayout::shardsOf(std::int64_t rank) const {
    std::vector<Shard> shards;
    for (std::size_t i = 0; i < m_places.size(); ++i) {
        const auto& place = m_places[i];
        const auto size = shardElements(place.bucket), first = rank * size;
        const auto from = std::max(place.offset, first),
                   to = std::min(place.offset + place.elements, first + size);
        if (from < to) shards.push_back({i, place.bucket, from - place.offset, to - from, from - first});
    }
    return shards;
}

std::vector<at::Tensor> FlatLayout::views(const Params& weights,
                                          const std::vector<at::Tensor>& buckets) const {
    std::vector<at::Tensor> views;
    for (std::size_t i = 0; i < m_places.size(); ++i) {
        const auto& [bucket, offset, elements] = m_places[i];
        views.push_back(buckets[bucket].narrow(0, offset, elements).view(weights.tensors()[i].sizes()));
    }
    return views;
}

}  // namespace dailies::trainer
