#pragma once

#include "trainer/models/layers/rotary.h"

#include <string>

namespace dailies::trainer::layers {

/// Whether the kernels of cpu_kernels.h take this tensor: float32 on the CPU, and one thread, as ranks have
/// there by default. Elsewhere LibTorch's own operations do the same work.
bool fusable(const at::Tensor& x);

/// `normModulate` (norms.h) in one pass forward and one backward. Shift and scale are [groups, 1, width] for
/// x [groups, count, width].
at::Tensor fusedNormModulate(const at::Tensor& x, const at::Tensor& shift, const at::Tensor& scale);
bool fusableModulation(const at::Tensor& x, const at::Tensor& shift);

/// rotated(rmsNorm(x, gain), rope) likewise, for x [batch, tokens, heads, headWidth] and turns by halves.
at::Tensor fusedNormRope(const at::Tensor& x, const at::Tensor& gain, const RopeTable& rope);
bool fusableRope(const at::Tensor& x, const RopeTable& rope);

/// x + gate · change likewise, for gates [groups, 1, width] of x and change [groups, count, width].
at::Tensor fusedGatedResidual(const at::Tensor& x, const at::Tensor& change, const at::Tensor& gate);
bool fusableGate(const at::Tensor& x, const at::Tensor& change, const at::Tensor& gate);

/// activation(x + bias) likewise, for an MLP's "relu2", "gelu" or "gelu-tanh"; `bias` may be undefined.
at::Tensor fusedActivation(const at::Tensor& x, const at::Tensor& bias, const std::string& activation);

}  // namespace dailies::trainer::layers
