#include "trainer/parallel/context_parallel.h"

#include "trainer/parallel/ring_attention.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/custom_class.h>
#include <torch/types.h>

namespace dailies::trainer {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct HeldRanks : torch::CustomClassHolder {
    explicit HeldRanks(ProcessGroup& held) : ranks(held) {}
    ProcessGroup& ranks;
};

ProcessGroup& ranksOf(AutogradContext* context) {
    return c10::static_intrusive_pointer_cast<HeldRanks>(context->saved_data["ranks"].toCapsule())->ranks;
}

/// Row i of [ranks, …] goes to rank i; what rank i gave becomes row i.
at::Tensor swapped(const at::Tensor& byRank, ProcessGroup& ranks) {
    const auto given = byRank.contiguous();
    const auto taken = at::empty_like(given);
    const std::vector<std::int64_t> rows(static_cast<std::size_t>(ranks.size()), 1);
    ranks.startAllToAll(taken, given, rows, rows).wait();
    return taken;
}

struct Swapped : torch::autograd::Function<Swapped> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& byRank,
                              const c10::intrusive_ptr<HeldRanks>& held) {
        context->saved_data["ranks"] = c10::IValue::make_capsule(held);
        return swapped(byRank, held->ranks);
    }
    // what went there comes back the same way
    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        return {swapped(gradients[0], ranksOf(context)), at::Tensor()};
    }
};

at::Tensor swap(const at::Tensor& byRank, ProcessGroup& ranks) {
    return Swapped::apply(byRank, c10::make_intrusive<HeldRanks>(ranks));
}

/// [clips, own tokens, heads, …] → [clips, tokens, own heads, …]: heads are dealt in runs of neighbours.
at::Tensor toHeads(const at::Tensor& x, ProcessGroup& ranks) {
    return swap(x.unflatten(2, {ranks.size(), -1}).movedim(2, 0), ranks).movedim(0, 1).flatten(1, 2);
}

/// And back.
at::Tensor toTokens(const at::Tensor& x, ProcessGroup& ranks) {
    return swap(x.unflatten(1, {ranks.size(), -1}).movedim(1, 0), ranks).movedim(0, 2).flatten(2, 3);
}

struct Gathered : torch::autograd::Function<Gathered> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& own,
                              const c10::intrusive_ptr<HeldRanks>& held) {
        context->saved_data["ranks"] = c10::IValue::make_capsule(held);
        auto& ranks = held->ranks;
        const auto part = own.contiguous();
        auto sizes = part.sizes().vec();
        sizes.insert(sizes.begin(), ranks.size());
        const auto all = at::empty(sizes, part.options());
        ranks.startAllGather(all, part.unsqueeze(0)).wait();
        return all.movedim(0, 1).flatten(1, 2);
    }
    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        auto& ranks = ranksOf(context);
        const auto count = gradients[0].size(1) / ranks.size();
        return {gradients[0].narrow(1, ranks.rank() * count, count), at::Tensor()};
    }
};

}  // namespace

at::Tensor ContextParallel::allGather(const at::Tensor& own) const {
    return Gathered::apply(own, c10::make_intrusive<HeldRanks>(m_context));
}

at::Tensor ContextParallel::reshardSpatially(const at::Tensor& ofFrames, std::int64_t frames) const {
    const auto ranks = m_context.size();
    return swap(ofFrames.unflatten(1, {frames / ranks, ranks, -1}).movedim(2, 0), m_context)
        .movedim(0, 1)
        .flatten(1, 3);
}

at::Tensor ContextParallel::reshardTemporally(const at::Tensor& ofPlaces, std::int64_t frames) const {
    const auto ranks = m_context.size();
    return swap(ofPlaces.unflatten(1, {ranks, frames / ranks, -1}).movedim(1, 0), m_context)
        .movedim(0, 2)
        .flatten(1, 3);
}

at::Tensor ContextParallel::attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                                   const Attention& local) const {
    const auto attention = [&](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
        return m_ring.size() > 1 ? ringAttention(q, k, v, m_ring) : local(q, k, v);
    };
    const auto ranks = m_ulysses.size();
    if (ranks == 1) return attention(query, key, value);
    // one exchange for all three: each rank's heads of queries, keys and values side by side
    const auto dealt = [&](const at::Tensor& x) { return x.unflatten(2, {ranks, -1}); };
    const auto joined = at::cat({dealt(query), dealt(key), dealt(value)}, 3).flatten(2, 3);
    const auto heads = query.size(2) / ranks, kvHeads = key.size(2) / ranks;
    const auto parts = toHeads(joined, m_ulysses).split_with_sizes({heads, kvHeads, kvHeads}, 2);
    const auto mixed = attention(parts[0], parts[1], parts[2]).unflatten(-1, {heads, -1});
    return toTokens(mixed, m_ulysses).flatten(2);
}

}  // namespace dailies::trainer
