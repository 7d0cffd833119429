#pragma once

#include "trainer/models/params.h"

namespace dailies::trainer::layers {

/// The precision of every model, stated here once. Under `runtime.precision` bf16:
/// - the matrices of attention and MLP, and attention itself, compute in bfloat16: `linear`;
/// - patches in and out, the embeddings of time and caption, and modulation compute in float32:
///   `exactLinear`; so do all norms, rotary positions and the sum that runs through the blocks.
/// The first hold nearly all operations, the second nearly all that rounding to eight bits would harm.
/// Both read `name`.weight [outputs, inputs] and, where there is one, `name`.bias.
at::Tensor linear(const Params& weights, const std::string& name, const at::Tensor& x);
at::Tensor exactLinear(const Params& weights, const std::string& name, const at::Tensor& x);

}  // namespace dailies::trainer::layers
