#pragma once

#include "trainer/tensors/params.h"

namespace dailies::trainer::layers {

/// Attention with a matrix each for queries, keys and values: `name`.to_q, .to_k, .to_v and .to_out.0, as in
/// diffusers. Nothing is normed, and nothing is turned by its place.
struct ProjectedAttention {
    std::int64_t heads = 8;  ///< a divisor of the channels

    /// `tokens` [n, tokens, width] attend to `others` [n, others, width of theirs], → [n, tokens, width].
    /// `common`: [m, others, width], further ones that n / m rows, which follow each other, have in common;
    /// undefined: none. Keys and values are made of them once, not once a row.
    at::Tensor operator()(const Params& weights, const std::string& name, const at::Tensor& tokens,
                          const at::Tensor& others, const at::Tensor& common = {}) const;
};

}  // namespace dailies::trainer::layers
