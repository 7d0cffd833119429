#pragma once

#include "trainer/tensors/params.h"

namespace dailies::trainer::layers {

/// Cosines, then sines of the noise level at frequencies 10000^(-2i/channels), [clips, channels]; for an even
/// number of channels. `times` [clips] should run over about 0 … 1000, since neighbouring sinusoids are made
/// to tell steps of about 1 apart.
at::Tensor timestepEmbedding(const at::Tensor& times, std::int64_t channels);

/// `name`.linear_2 · SiLU(`name`.linear_1 · sinusoids), in at least float32: TimestepEmbedding of diffusers.
at::Tensor embedding(const Params& weights, const std::string& name, const at::Tensor& sinusoids);

}  // namespace dailies::trainer::layers
