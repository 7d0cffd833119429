#include "trainer/parallel/gradients.h"

#include "core/base/error.h"

#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/types.h>

#include <utility>

namespace dailies::trainer {

namespace {

constexpr std::size_t kCopiesOnTheWay = 4;

}  // namespace

/// Tells that backward has delivered the gradient of a weight.
class Gradients::Arrival : public torch::autograd::PostAccumulateGradHook {
public:
    Arrival(Gradients& gradients, std::size_t weight) : m_gradients(gradients), m_weight(weight) {}
    void operator()(const torch::autograd::Variable& value) override {
        m_gradients.onGradientReady(m_weight, value);
    }

private:
    Gradients& m_gradients;
    std::size_t m_weight;
};

Gradients::Gradients(const Params& weights, FlatLayout layout, const GradientReduceOptions& reduce)
    : m_layout(std::move(layout)),
      m_reduce(reduce),
      m_buckets(m_layout.buckets()),
      m_options(weights.tensors().front().options().dtype(at::kFloat).requires_grad(false)),
      m_weightsOf(m_layout.buckets()),
      m_weights(weights.tensors()) {
    if (m_reduce.persistentBuckets)
        for (std::size_t i = 0; i < m_buckets.size(); ++i)
            m_buckets[i] = at::zeros({m_layout.bucketElements(i)}, m_options);
    const auto views = m_reduce.persistentBuckets ? m_layout.views(weights, m_buckets)
                                                  : std::vector<at::Tensor>(m_weights.size());
    for (std::size_t i = 0; i < m_weights.size(); ++i) {
        ++m_weightsOf[m_layout.of(i).bucket];
        auto& weight = m_weights[i];
        weight.set_requires_grad(true);
        const bool addsInPlace = m_reduce.persistentBuckets && weight.scalar_type() == at::kFloat;
        if (addsInPlace) weight.mutable_grad() = views[i];
        if (!addsInPlace || sums())
            torch::autograd::impl::set_post_acc_grad_hooks(weight, std::make_unique<Arrival>(*this, i));
    }
    if (!isSharded()) {
        m_own = views;
        return;
    }
    for (std::size_t i = 0; i < m_buckets.size(); ++i)
        m_shards.push_back(at::zeros({m_layout.shardElements(i)}, m_options));
    for (const auto& shard : m_layout.shardsOf(m_reduce.shardGroup->rank()))
        m_own.push_back(m_shards[shard.bucket].narrow(0, shard.offset, shard.elements));
}

Gradients::~Gradients() {
    for (const auto& weight : m_weights) torch::autograd::impl::set_post_acc_grad_hooks(weight, nullptr);
}

void Gradients::clear() {
    for (auto& bucket : m_buckets)
        if (bucket.defined()) bucket.zero_();
    for (auto& shard : m_shards) shard.zero_();
}

void Gradients::beginPass(bool last) {
    flush();
    m_summing = sums() && (last || !m_reduce.persistentBuckets);
    m_missing = m_weightsOf;
    m_unlaunched = m_summing ? m_buckets.size() : 0;
}

void Gradients::onGradientReady(std::size_t weight, const at::Tensor& value) {
    const auto& place = m_layout.of(weight);
    auto& bucket = m_buckets[place.bucket];
    const bool addedInPlace = m_reduce.persistentBuckets && value.scalar_type() == at::kFloat;
    if (!addedInPlace) {
        const at::NoGradGuard noGradients;
        if (!bucket.defined()) bucket = at::zeros({m_layout.bucketElements(place.bucket)}, m_options);
        bucket.narrow(0, place.offset, place.elements).view(value.sizes()).add_(value.grad());
        value.mutable_grad().reset();
    }
    if (!m_summing || !m_reduce.overlapReduce) return;
    if (--m_missing[place.bucket] < 0)
        throw Error(
            "A weight got its gradient in two pieces: it may be in one recomputed part of a model only.");
    if (m_missing[place.bucket] == 0 && m_reduce.onGradientReady) m_reduce.onGradientReady(place.bucket);
    // strictly in order: ranks may fill buckets in another order, and collectives must not
    while (m_unlaunched > 0 && m_missing[m_unlaunched - 1] == 0) launch(--m_unlaunched);
}

void Gradients::launch(std::size_t index) {
    auto& bucket = m_buckets[index];
    // without a gradient of its own this rank still owes the others its part of the sum
    if (!bucket.defined()) bucket = at::zeros({m_layout.bucketElements(index)}, m_options);
    // one on its way while backward fills another: a bucket may be as large as a block; rounded copies are
    // few as well
    const auto most = !m_reduce.persistentBuckets ? 1 : rounds() ? kCopiesOnTheWay : m_buckets.size();
    if (m_inFlight.size() >= most) settleOldest();
    InFlight flight{index};
    if (rounds()) {
        flight.rounded.emplace(isSharded() ? *m_reduce.shardGroup : *m_reduce.replicaGroup, bucket,
                               m_reduce.reduceType);
    } else if (isSharded()) {
        flight.incoming = at::empty({m_layout.shardElements(index)}, m_options);
        flight.sum = m_reduce.shardGroup->startReduceScatter(flight.incoming, bucket);
    } else {
        flight.sum = m_reduce.replicaGroup->startAllReduce(bucket);
    }
    m_inFlight.push_back(std::move(flight));
}

void Gradients::settleOldest() {
    auto flight = std::move(m_inFlight.front());
    m_inFlight.pop_front();
    flight.sum.wait();
    const at::NoGradGuard noGradients;
    if (!isSharded()) {
        if (flight.rounded) flight.rounded->allGatherInto(m_buckets[flight.bucket]);
        return;
    }
    m_shards[flight.bucket].add_(flight.rounded ? flight.rounded->reducedShard() : flight.incoming);
    if (!m_reduce.persistentBuckets) m_buckets[flight.bucket].reset();
}

void Gradients::flush() {
    while (m_unlaunched > 0) launch(--m_unlaunched);
    while (!m_inFlight.empty()) settleOldest();
}

void Gradients::finish() {
    flush();
    m_summing = false;
    if (isSharded() && m_reduce.replicaGroup) sumOver(*m_reduce.replicaGroup, m_shards);
    std::vector<at::Tensor> replicated, onEveryStage;
    for (std::size_t i = 0; i < m_buckets.size(); ++i) {
        if (m_reduce.tensorParallelGroup && !isTensorParallel(i)) replicated.push_back(results()[i]);
        if (isOnEveryStage(i)) onEveryStage.push_back(results()[i]);
    }
    if (m_reduce.tensorParallelGroup) sumOver(*m_reduce.tensorParallelGroup, replicated);
    if (m_reduce.pipelineGroup) sumOver(*m_reduce.pipelineGroup, onEveryStage);
}

void Gradients::sumOver(ProcessGroup& ranks, const std::vector<at::Tensor>& gradients) const {
    const at::NoGradGuard noGradients;
    if (rounds()) {
        std::vector<CompressedReduce> begun;
        for (const auto& gradient : gradients) begun.emplace_back(ranks, gradient, m_reduce.reduceType);
        for (std::size_t i = 0; i < gradients.size(); ++i) begun[i].allGatherInto(gradients[i]);
        return;
    }
    std::vector<WorkHandle> pending;
    for (const auto& gradient : gradients) pending.push_back(ranks.startAllReduce(gradient));
    for (auto& each : pending) each.wait();
}

bool Gradients::counts(std::size_t bucket) const {
    const bool firstOfTensorParallel = !m_reduce.tensorParallelGroup || isTensorParallel(bucket) ||
                                       m_reduce.tensorParallelGroup->rank() == 0;
    const bool firstOfStages = !isOnEveryStage(bucket) || m_reduce.pipelineGroup->rank() == 0;
    return firstOfTensorParallel && firstOfStages;
}

at::Tensor Gradients::norm() {
    std::vector<at::Tensor> norms;
    for (std::size_t i = 0; i < m_buckets.size(); ++i)
        if (counts(i)) norms.push_back(at::linalg_vector_norm(results()[i]));
    const auto own = norms.empty() ? at::zeros({}, m_options) : at::linalg_vector_norm(at::stack(norms));
    if (!isSharded() && !m_reduce.tensorParallelGroup && !m_reduce.pipelineGroup) return own;
    auto squares = own.square();
    for (auto* ranks : {m_reduce.tensorParallelGroup, m_reduce.pipelineGroup, m_reduce.shardGroup})
        if (ranks) ranks->allReduce(squares);
    return squares.sqrt();
}

std::vector<std::int64_t> Gradients::notFinite() {
    auto counts = at::zeros({static_cast<std::int64_t>(m_weights.size())}, m_options.dtype(at::kLong));
    const auto count = [&](std::size_t weight, const at::Tensor& gradient) {
        counts[static_cast<std::int64_t>(weight)] = gradient.numel() - at::isfinite(gradient).sum();
    };
    if (isSharded()) {
        const auto shards = m_layout.shardsOf(m_reduce.shardGroup->rank());
        for (std::size_t i = 0; i < shards.size(); ++i) count(shards[i].weight, m_own[i]);
        m_reduce.shardGroup->allReduce(counts);
    } else {
        for (std::size_t i = 0; i < m_own.size(); ++i) count(i, m_own[i]);
    }
    if (m_reduce.tensorParallelGroup) {
        for (std::size_t i = 0; i < m_weights.size(); ++i)
            if (m_reduce.tensorParallelGroup->rank() > 0 && !isTensorParallel(m_layout.of(i).bucket))
                counts[static_cast<std::int64_t>(i)].zero_();
        m_reduce.tensorParallelGroup->allReduce(counts);
    }
    counts = counts.to(at::kCPU);
    const auto* first = counts.const_data_ptr<std::int64_t>();
    return {first, first + counts.numel()};
}

void Gradients::scale(const at::Tensor& factor) {
    for (const auto& part : results()) at::Tensor(part).mul_(factor);
}

}  // namespace dailies::trainer
