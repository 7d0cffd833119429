#pragma once

#include "trainer/models/weight_initializer.h"
#include "trainer/tensors/box.h"

namespace dailies::trainer::unet {

/// What makes of drawn poses what the U-Net adds behind its first convolution: convolutions that halve the
/// sides with each of the next widths, three times for pictures of latents of 8 pixels (Hu et al. 2024,
/// Animate Anyone; ControlNetConditioningEmbedding of diffusers). A function of its weights: conv_in,
/// blocks.0 … and conv_out, which begins at zero.
struct PoseGuider {
    std::int64_t colours = 3;
    Extents widths = {16, 32, 96, 256};  ///< those of the released weights
    std::int64_t outputs = 320;          ///< channels of the U-Net's first level
    std::int64_t shrinks = 8;            ///< pixels of a place's side: a power of two, at most 8
    std::string prefix = {};             ///< before the names of its weights

    void declareWeights(WeightInitializer& make) const;

    /// [clips, colours, frames, height, width] of 0 … 1 → [clips, outputs, frames, height / shrinks,
    /// width / shrinks].
    at::Tensor operator()(const Params& weights, const at::Tensor& poses) const;
};

}  // namespace dailies::trainer::unet
