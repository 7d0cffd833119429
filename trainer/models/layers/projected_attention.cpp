#include "trainer/models/layers/projected_attention.h"

#include "trainer/models/layers/linear.h"

#include <torch/types.h>

namespace dailies::trainer::layers {

at::Tensor ProjectedAttention::operator()(const Params& weights, const std::string& name,
                                          const at::Tensor& tokens, const at::Tensor& others,
                                          const at::Tensor& common, const at::Tensor& reads) const {
    const auto attendable = [&](const std::string& matrix) {
        const auto own = linear(weights, matrix, others);
        if (!common.defined()) return own;
        const auto times = own.size(0) / common.size(0);
        auto shared = linear(weights, matrix, common).repeat_interleave(times, 0);
        // every key twice is every key once: softmax gives each half of its weight
        if (reads.defined())
            shared = at::where(reads.repeat_interleave(times, 0).view({-1, 1, 1}), shared, own);
        return at::cat({own, shared}, 1);
    };
    const auto byHead = [&](const at::Tensor& x) { return x.unflatten(-1, {heads, -1}).transpose(1, 2); };
    const auto layer = name + ".";
    const auto mixed = at::scaled_dot_product_attention(
        byHead(linear(weights, layer + names.query, tokens)), byHead(attendable(layer + names.key)),
        byHead(attendable(layer + names.value)), /*attn_mask=*/{}, /*dropout_p=*/0, causal);
    return linear(weights, layer + names.out, mixed.transpose(1, 2).flatten(2));
}

}  // namespace dailies::trainer::layers
