#pragma once

#include "trainer/models/layers/group_norm.h"

namespace dailies::trainer::layers {

/// Convolution over neighbouring frames: `name`.weight [outputs, inputs, frames, 1, 1] and `name`.bias, of
/// clips [n, inputs, frames, places]. Beyond the first and last frame all is 0.
at::Tensor timeConvolution(const Params& weights, const std::string& name, const at::Tensor& clips);

/// Norm, SiLU and a convolution over neighbouring frames, twice: TemporalResnetBlock of diffusers without its
/// sum. `name`.norm1, .conv1, .norm2, .conv2, and .time_emb_proj where it is told the time.
struct TimeResidual {
    GroupNorm norm;

    /// What it would add to pictures [clips · frames, channels, rows, columns], those of a clip one behind
    /// the other. `time`: as `ResidualBlock` has it.
    at::Tensor operator()(const Params& weights, const std::string& name, const at::Tensor& pictures,
                          std::int64_t frames, const at::Tensor& time = {}) const;
};

}  // namespace dailies::trainer::layers
