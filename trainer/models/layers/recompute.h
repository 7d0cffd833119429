#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>
#include <vector>

namespace dailies::trainer::layers {

using RecomputedFn = std::function<at::Tensor(const std::vector<at::Tensor>&)>;

/// `piece(inputs)`, of which only the inputs are kept: the backward pass computes the piece again (activation
/// checkpointing, Chen et al. 2016). Memory for time; gradients are the same, bit for bit, and weights that
/// the piece captures receive theirs as ever. Inputs may be undefined. Without gradients it is just a call.
/// `Kept::firstOnHost`: of the first input a copy in the node's memory is kept.
enum class Kept { onDevice, firstOnHost };
at::Tensor withRecompute(const RecomputedFn& piece, const std::vector<at::Tensor>& inputs,
                         Kept kept = Kept::onDevice);

/// mlp(attention(inputs)), where `attention` gives the tokens that take the place of inputs[0] for `mlp`.
/// `mode`: none keeps all; selective computes the MLP again, whose activations are the widest; full computes
/// the block again; offload as well, and the tokens of a GPU wait in the node's memory.
at::Tensor runBlock(const std::string& mode, const RecomputedFn& attention, const RecomputedFn& mlp,
                    const std::vector<at::Tensor>& inputs);

}  // namespace dailies::trainer::layers
