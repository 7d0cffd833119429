#pragma once

#include <ATen/core/Tensor.h>

#include <tuple>

/// Attention of queries to one block of keys, as a step towards attention to several blocks: forward tells
/// the logarithm of the sum under the soft-max, and backward takes that of all blocks. Tensors are [clips,
/// heads, tokens, headWidth], the logarithms [clips, heads, tokens] in float32. FlashAttention on CPUs and,
/// in half precision, on GPUs; memory-efficient attention on GPUs in float32.
namespace dailies::trainer {

struct AttentionBlock {
    at::Tensor out, logSumExp;
};

AttentionBlock attendBlock(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value);

/// Gradients of queries, keys and values through this block. `whole`: the result of attention to all blocks.
std::tuple<at::Tensor, at::Tensor, at::Tensor> attendBlockBackward(const at::Tensor& gradient,
                                                                   const at::Tensor& query,
                                                                   const at::Tensor& key,
                                                                   const at::Tensor& value,
                                                                   const AttentionBlock& whole);

/// Takes a block's result into that of the blocks before it (float32): the online soft-max.
void mergeBlock(AttentionBlock& sum, const AttentionBlock& next);

}  // namespace dailies::trainer
