#include "trainer/parallel/sharded_params.h"

#include <torch/types.h>

namespace dailies::trainer {

namespace {

std::vector<at::Tensor> emptyBuckets(const FlatLayout& layout, const at::TensorOptions& options) {
    std::vector<at::Tensor> buckets;
    for (std::size_t i = 0; i < layout.buckets(); ++i)
        buckets.push_back(at::zeros({layout.bucketElements(i)}, options));
    return buckets;
}

FlatLayout layoutOf(const Params& weights, std::int64_t ranks, const TensorParallelShards* slices) {
    return slices ? FlatLayout(weights, ranks, slices->bucketsOf(weights)) : FlatLayout(weights, ranks);
}

}  // namespace

ShardedParams::ShardedParams(const Params& weights, ProcessGroup& ranks, const TensorParallelShards* slices)
    : m_ranks(ranks),
      m_slices(slices),
      m_layout(layoutOf(weights, ranks.size(), slices)),
      m_options(weights.tensors().front().options().requires_grad(false)) {
    if (!divided()) {
        m_all = m_own = weights;
        for (const auto& name : weights.names())
            if (m_slices) m_ranges[name] = m_slices->rangeOf(name);
        return;
    }
    m_buckets = emptyBuckets(m_layout, m_options);
    const auto views = m_layout.views(weights, m_buckets);
    std::vector<at::Tensor> shards;
    for (std::size_t i = 0; i < m_buckets.size(); ++i) shards.push_back(shardIn(m_buckets[i], i));
    for (std::size_t i = 0; i < views.size(); ++i) {
        views[i].copy_(weights.tensors()[i]);
        // for autograd a tensor of its own, not a view
        m_all.add(weights.names()[i], views[i].variable_data());
    }
    nameOwn(weights, shards);
}

ShardedParams::ShardedParams(const Params& weights, const Params& computed, ProcessGroup& ranks,
                             at::Device device, const TensorParallelShards* slices)
    : m_ranks(ranks),
      m_slices(slices),
      m_layout(weights, ranks.size(), FsdpUnitPlan(computed, slices).bucketOf),
      m_options(at::TensorOptions(device).dtype(at::kFloat)) {
    std::vector<at::Tensor> shards;
    for (std::size_t i = 0; i < m_layout.buckets(); ++i)
        shards.push_back(at::zeros({m_layout.shardElements(i)}, m_options));
    nameOwn(weights, shards);
    for (const auto& name : m_own.names())
        if (!weights[name].is_meta()) take(name, weights[name]);
    m_units = std::make_unique<FsdpUnits>(computed, FsdpUnitPlan(computed, slices), m_layout,
                                          std::move(shards), ranks);
}

void ShardedParams::take(const std::string& name, const at::Tensor& weight) {
    if (!m_own.contains(name)) return;  // all of it is of other ranks
    auto own = m_own[name];
    own.copy_(weight.flatten().narrow(0, m_ranges.at(name).begin, own.numel()));
}

void ShardedParams::nameOwn(const Params& weights, const std::vector<at::Tensor>& shards) {
    for (const auto& shard : m_layout.shardsOf(m_ranks.rank())) {
        const auto& name = weights.names()[shard.weight];
        m_own.add(name, shards[shard.bucket].narrow(0, shard.offset, shard.elements));
        m_ranges[name] = rangeOf(name, weights.tensors()[shard.weight], shard.begin);
    }
}

TensorRange ShardedParams::rangeOf(const std::string& name, const at::Tensor& weight,
                                   std::int64_t begin) const {
    if (!m_slices) return {weight.sizes().vec(), begin};
    auto range = m_slices->rangeOf(name);
    range.begin = begin;
    return range;
}

at::Tensor ShardedParams::ownOf(const std::string& name, const at::Tensor& whole) const {
    const auto held = m_slices ? m_slices->own(name, whole) : whole;
    const auto range = m_ranges.find(name);
    if (range == m_ranges.end()) return held;
    const auto& own = m_own[name];
    return held.flatten().narrow(0, range->second.begin, own.numel()).view(own.sizes());
}

std::vector<bool> ShardedParams::tensorParallelBuckets() const {
    return bucketsThat([this](const std::string& name) { return m_slices->divides(name); });
}

std::vector<bool> ShardedParams::bucketsOnEveryStage() const {
    return bucketsThat([this](const std::string& name) { return m_slices->isSharedByStages(name); });
}

at::Tensor ShardedParams::shardIn(const at::Tensor& bucket, std::size_t index) const {
    const auto elements = m_layout.shardElements(index);
    return bucket.narrow(0, m_ranks.rank() * elements, elements);
}

void ShardedParams::gather() {
    const at::NoGradGuard noGradients;
    std::vector<WorkHandle> gathers;
    for (std::size_t i = 0; i < m_buckets.size(); ++i)
        gathers.push_back(m_ranks.startAllGather(m_buckets[i], shardIn(m_buckets[i], i)));
    for (auto& gather : gathers) gather.wait();
}

Params ShardedParams::gathered(const Params& own) const {
    if (!divided()) return own;
    const at::NoGradGuard noGradients;
    const auto buckets = emptyBuckets(m_layout, m_options);
    std::size_t next = 0;
    for (const auto& shard : m_layout.shardsOf(m_ranks.rank()))
        shardIn(buckets[shard.bucket], shard.bucket)
            .narrow(0, shard.offset, shard.elements)
            .copy_(own.tensors()[next++]);
    for (std::size_t i = 0; i < buckets.size(); ++i)
        m_ranks.startAllGather(buckets[i], shardIn(buckets[i], i)).wait();
    const auto views = m_layout.views(all(), buckets);
    Params whole;
    for (std::size_t i = 0; i < views.size(); ++i) whole.add(all().names()[i], views[i]);
    return whole;
}

}  // namespace dailies::trainer
