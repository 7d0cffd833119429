#pragma once

#include "trainer/models/layers/group_norm.h"

namespace dailies::trainer::layers {

/// Norm, SiLU and convolution, twice, around a sum: ResnetBlock2D of diffusers. `name`.norm1, .conv1, .norm2,
/// .conv2; .conv_shortcut where the channels change, and .time_emb_proj where it is told the time.
struct ResidualBlock {
    GroupNorm norm;

    /// Of pictures [n, channels, rows, columns]. `time`: [clips, width], what SiLU left of the embedded noise
    /// level; the n / clips pictures of a clip follow each other. Undefined: the block is told none.
    at::Tensor operator()(const Params& weights, const std::string& name, const at::Tensor& pictures,
                          const at::Tensor& time = {}) const;
};

}  // namespace dailies::trainer::layers
