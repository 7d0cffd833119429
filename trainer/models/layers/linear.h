#pragma once

#include "trainer/tensors/params.h"

namespace dailies::trainer::layers {

/// The precision of every model, stated here once. Under `runtime.precision` bf16:
/// - the matrices of attention and MLP, and attention itself, compute in bfloat16: `linear`;
/// - patches in and out, the embeddings of time and caption, and modulation compute in float32:
///   `fp32Linear`; so do all norms, rotary positions and the sum that runs through the blocks.
/// The first hold nearly all operations, the second nearly all that rounding to eight bits would harm.
/// Both read `name`.weight [outputs, inputs] and, where there is one, `name`.bias.
at::Tensor linear(const Params& weights, const std::string& name, const at::Tensor& x);
at::Tensor fp32Linear(const Params& weights, const std::string& name, const at::Tensor& x);

// The same for layers whose weights ranks may divide (`Params::tensorParallel`, division_rule.h); elsewhere
// they are the above.

/// Each rank has some of the outputs: of its own tokens, [clips, own tokens, inputs], those of the tokens of
/// all of these ranks, [clips, tokens, own outputs].
at::Tensor columnParallelLinear(const Params& weights, const std::string& name, const at::Tensor& tokens);
/// And back: each rank has some of the inputs, [clips, tokens, own inputs]; the outputs of its own tokens are
/// sums over the ranks, [clips, own tokens, outputs].
at::Tensor rowParallelLinear(const Params& weights, const std::string& name, const at::Tensor& x);
/// Each rank has some of the outputs and gets all of them, of an input that all of them have.
at::Tensor fp32ColumnParallelLinear(const Params& weights, const std::string& name, const at::Tensor& x);

}  // namespace dailies::trainer::layers
