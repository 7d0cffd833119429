#pragma once

#include "trainer/tensors/params.h"

#include <string>

namespace dailies::trainer::layers {

/// Attention with a matrix each for queries, keys and values. Nothing is normed, and nothing is turned by its
/// place.
struct ProjectedAttention {
    /// Of the matrices, behind the layer's own name and a dot.
    struct Names {
        std::string query = "to_q", key = "to_k", value = "to_v", out = "to_out.0";  // diffusers'
    };

    std::int64_t heads = 8;  ///< a divisor of the channels
    Names names = {};
    bool causal = false;  ///< each token attends to those before it and to itself alone

    /// `tokens` [n, tokens, width] attend to `others` [n, others, width of theirs], → [n, tokens, width].
    /// `common`: [m, others, width], further ones that n / m rows, which follow each other, have in common;
    /// undefined: none. Keys and values are made of them once, not once a row. `reads`: [m], bool; rows for
    /// which it is false attend as if there were no common tokens, of which there must be as many as others;
    /// undefined: all rows read them.
    at::Tensor operator()(const Params& weights, const std::string& name, const at::Tensor& tokens,
                          const at::Tensor& others, const at::Tensor& common = {},
                          const at::Tensor& reads = {}) const;
};

}  // namespace dailies::trainer::layers
