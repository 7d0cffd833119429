#include "trainer/parallel/ring_attention.h"

#include "trainer/parallel/block_attention.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/custom_class.h>
#include <torch/types.h>

#include <optional>

namespace dailies::trainer {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct HeldRing : torch::CustomClassHolder {
    explicit HeldRing(ProcessGroup& ranks) : ring(ranks) {}
    ProcessGroup& ring;
};

/// Gives this rank's tensor to the next rank and takes that of the rank before.
class Passing {
public:
    Passing(ProcessGroup& ring, at::Tensor given)
        : m_given(std::move(given)), m_taken(at::empty_like(m_given)) {
        const auto size = static_cast<std::size_t>(ring.size()), rank = static_cast<std::size_t>(ring.rank());
        std::vector<std::int64_t> taken(size), rows(size);
        rows[(rank + 1) % size] = taken[(rank + size - 1) % size] = m_given.size(0);
        m_pending = ring.startAllToAll(m_taken, m_given, std::move(taken), std::move(rows));
    }
    at::Tensor take() {
        m_pending.wait();
        return m_taken;
    }

private:
    at::Tensor m_given, m_taken;
    WorkHandle m_pending;
};

/// Keys and values as queries have heads: each as often as it serves some.
at::Tensor forEachQuery(const at::Tensor& x, std::int64_t heads) {
    return x.size(1) == heads ? x : x.repeat_interleave(heads / x.size(1), 1);
}

/// And the gradient back.
at::Tensor summedOverQueries(const at::Tensor& x, std::int64_t heads) {
    return x.size(1) == heads ? x : x.unflatten(1, {heads, -1}).sum(2);
}

struct RingAttention : torch::autograd::Function<RingAttention> {
    // [clips, heads, own tokens, headWidth] in and out
    static at::Tensor forward(AutogradContext* context, const at::Tensor& query, const at::Tensor& key,
                              const at::Tensor& value, const c10::intrusive_ptr<HeldRing>& held) {
        auto& ring = held->ring;
        const auto heads = query.size(1);
        AttentionBlock sum;
        auto block = at::stack({key, value});
        for (std::int64_t turn = 0; turn < ring.size(); ++turn) {
            std::optional<Passing> passing;
            if (turn + 1 < ring.size()) passing.emplace(ring, block);
            mergeBlock(sum, attendBlock(query, forEachQuery(block[0], heads), forEachQuery(block[1], heads)));
            if (passing) block = passing->take();
        }
        const auto out = sum.out.to(query.scalar_type());
        context->save_for_backward({query, key, value, out, sum.logSumExp});
        context->saved_data["ring"] = c10::IValue::make_capsule(held);
        return out;
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const auto saved = context->get_saved_variables();
        const auto &query = saved[0], &key = saved[1];
        const AttentionBlock whole{saved[3], saved[4]};
        auto& ring =
            c10::static_intrusive_pointer_cast<HeldRing>(context->saved_data["ring"].toCapsule())->ring;
        const auto gradient = gradients[0].contiguous();
        auto block = at::stack({key, saved[2]});
        auto dQuery = at::zeros_like(query, at::kFloat);
        // the gradient of a block travels behind it and is home after a whole round
        std::optional<Passing> homing;
        for (std::int64_t turn = 0; turn < ring.size(); ++turn) {
            std::optional<Passing> passing;
            if (turn + 1 < ring.size()) passing.emplace(ring, block);
            const auto [dQ, dK, dV] =
                attendBlockBackward(gradient, query, forEachQuery(block[0], query.size(1)),
                                    forEachQuery(block[1], query.size(1)), whole);
            dQuery.add_(dQ);
            auto dBlock = at::stack({summedOverQueries(dK, key.size(1)).to(at::kFloat),
                                     summedOverQueries(dV, key.size(1)).to(at::kFloat)});
            if (homing) dBlock.add_(homing->take());
            homing.emplace(ring, dBlock);
            if (passing) block = passing->take();
        }
        const auto dBlock = homing->take();
        return {dQuery.to(query.scalar_type()), dBlock[0].to(key.scalar_type()),
                dBlock[1].to(key.scalar_type()), at::Tensor()};
    }
};

}  // namespace

at::Tensor ringAttention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                         ProcessGroup& ring) {
    const auto byHead = [](const at::Tensor& x) { return x.transpose(1, 2).contiguous(); };
    const auto out =
        RingAttention::apply(byHead(query), byHead(key), byHead(value), c10::make_intrusive<HeldRing>(ring));
    return out.transpose(1, 2).flatten(2);
}

}  // namespace dailies::trainer
