#include "trainer/parallel/fsdp_units.h"

#include "core/base/error.h"
#include "trainer/tensors/tensor_memory.h"

#include <torch/types.h>

#include <algorithm>
#include <map>
#include <utility>

namespace dailies::trainer {

namespace {

/// Of which views can be made, as if there were memory behind it.
at::Tensor withoutMemory(std::int64_t elements, const at::TensorOptions& options) {
    auto tensor = at::empty({0}, options);
    tensor.unsafeGetTensorImpl()->set_sizes_contiguous({elements});
    tensor.storage().unsafeGetStorageImpl()->set_nbytes(static_cast<std::size_t>(bytesOf(tensor)));
    return tensor;
}

}  // namespace

FsdpUnitPlan::FsdpUnitPlan(const Params& weights, const TensorParallelShards* slices)
    : units(1), bucketOf(weights.names().size()) {
    std::map<std::string, std::size_t> unitOf{{"", 0}};
    std::vector<std::vector<std::size_t>> weightsOf(1);
    for (std::size_t i = 0; i < weights.names().size(); ++i) {
        const auto block = blockOf(weights.names()[i]);
        const auto [found, isNew] = unitOf.emplace(block, units.size());
        if (isNew) {
            units.push_back({block, {}});
            weightsOf.emplace_back();
        }
        weightsOf[found->second].push_back(i);
    }
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
        std::map<std::pair<at::ScalarType, bool>, std::size_t> bucketOfKind;
        for (const auto weight : weightsOf[unit]) {
            const auto type = weights.tensors()[weight].scalar_type();
            const bool isSlice = slices && slices->divides(weights.names()[weight]);
            const auto [found, isNew] = bucketOfKind.emplace(std::pair(type, isSlice), typesOf.size());
            if (isNew) {
                units[unit].buckets.push_back(found->second);
                typesOf.push_back(type);
            }
            bucketOf[weight] = found->second;
        }
    }
}

FsdpUnits::FsdpUnits(const Params& computed, FsdpUnitPlan division, const FlatLayout& layout,
                     std::vector<at::Tensor> shards, ProcessGroup& ranks)
    // backward may come to gathers and to sums of gradients in another order on each rank
    : m_division(std::move(division)), m_ranks(ranks.duplicate()) {
    std::vector<at::Tensor> wholes;
    for (std::size_t i = 0; i < shards.size(); ++i) {
        wholes.push_back(
            withoutMemory(layout.bucketElements(i), shards[i].options().dtype(m_division.typesOf[i])));
        m_buckets.push_back({wholes.back(), std::move(shards[i])});
    }
    const auto views = layout.views(computed, wholes);
    for (std::size_t i = 0; i < views.size(); ++i)
        m_weights.add(computed.names()[i], views[i].variable_data());  // for autograd no views
    for (const auto& whole : wholes) freeMemory(whole);
    m_weights.setUnshardHooks(this);
}

std::size_t FsdpUnits::unitOf(const std::string& block) const {
    const auto found = std::ranges::find(m_division.units, block, &FsdpUnitPlan::Unit::block);
    if (found == m_division.units.end()) throw Error("The model has no weights of a block " + block + ".");
    return static_cast<std::size_t>(found - m_division.units.begin());
}

void FsdpUnits::start(std::size_t unit) {
    const at::NoGradGuard noGradients;
    for (const auto index : m_division.units[unit].buckets) {
        auto& bucket = m_buckets[index];
        if (bucket.there) continue;
        takeMemory(bucket.whole);
        bucket.there = true;
        m_heldBytes += bytesOf(bucket.whole);
        m_peakBytes = std::max(m_peakBytes, m_heldBytes);
        bucket.sent = bucket.shard.to(bucket.whole.scalar_type());
        bucket.gathering = m_ranks.startAllGather(bucket.whole, bucket.sent);
    }
}

void FsdpUnits::settle(Bucket& bucket) {
    bucket.gathering.wait();
    bucket.sent.reset();
}

void FsdpUnits::require(std::size_t unit) {
    start(unit);
    for (const auto index : m_division.units[unit].buckets) settle(m_buckets[index]);
}

void FsdpUnits::beginPass() {
    start(0);
    if (m_division.units.size() > 1) start(1);
    require(0);
}

void FsdpUnits::enter(const std::string& block) {
    const auto unit = unitOf(block);
    require(unit);
    if (unit + 1 < m_division.units.size()) start(unit + 1);
}

void FsdpUnits::leave(const std::string& block, const at::Tensor& output) {
    const auto unit = unitOf(block);
    if (output.requires_grad()) {
        output.register_hook([this, unit](const at::Tensor&) {
            require(unit);
            if (unit > 1) start(unit - 1);
        });
        if (unit + 1 == m_division.units.size()) return;  // backward begins with it
    }
    for (const auto index : m_division.units[unit].buckets) release(index);
}

void FsdpUnits::release(std::size_t index) {
    auto& bucket = m_buckets[index];
    if (!bucket.there) return;
    settle(bucket);
    freeMemory(bucket.whole);
    bucket.there = false;
    m_heldBytes -= bytesOf(bucket.whole);
}

void FsdpUnits::endPass() {
    for (std::size_t i = 0; i < m_buckets.size(); ++i) release(i);
}

}  // namespace dailies::trainer
