#include "trainer/models/layers/projected_attention.h"

#include "trainer/models/layers/linear.h"

#include <torch/types.h>

namespace dailies::trainer::layers {

at::Tensor ProjectedAttention::operator()(const Params& weights, const std::string& name,
                                          const at::Tensor& tokens, const at::Tensor& others,
                                          const at::Tensor& common) const {
    const auto attendable = [&](const std::string& matrix) {
        const auto own = linear(weights, matrix, others);
        if (!common.defined()) return own;
        const auto shared = linear(weights, matrix, common);
        return at::cat({own, shared.repeat_interleave(own.size(0) / shared.size(0), 0)}, 1);
    };
    const auto byHead = [&](const at::Tensor& x) { return x.unflatten(-1, {heads, -1}).transpose(1, 2); };
    const auto mixed = at::scaled_dot_product_attention(byHead(linear(weights, name + ".to_q", tokens)),
                                                        byHead(attendable(name + ".to_k")),
                                                        byHead(attendable(name + ".to_v")));
    return linear(weights, name + ".to_out.0", mixed.transpose(1, 2).flatten(2));
}

}  // namespace dailies::trainer::layers
