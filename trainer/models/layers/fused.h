#pragma once

#include "trainer/models/layers/rotary.h"

namespace dailies::trainer::layers {

/// Whether the kernels of cpu_kernels.h take this tensor: float32 on the CPU, and one thread, as ranks have
/// there by default. Elsewhere LibTorch's own operations do the same work.
bool fusable(const at::Tensor& x);

/// `modulated` (norms.h) in one pass forward and one backward. Shift and scale are [groups, 1, width] for x
/// [groups, count, width].
at::Tensor fusedModulated(const at::Tensor& x, const at::Tensor& shift, const at::Tensor& scale);
bool fusableModulation(const at::Tensor& x, const at::Tensor& shift);

/// rotated(rmsNorm(x, gain), turn) likewise, for x [batch, tokens, heads, headWidth] and turns by halves.
at::Tensor fusedTurned(const at::Tensor& x, const at::Tensor& gain, const Turn& turn);
bool fusableTurn(const at::Tensor& x, const Turn& turn);

}  // namespace dailies::trainer::layers
