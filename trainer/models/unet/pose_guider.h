#pragma once

#include "trainer/models/unet/unet_sizes.h"
#include "trainer/models/weight_initializer.h"

namespace dailies::trainer::unet {

/// What makes of drawings what the U-Net adds behind its first convolution: convolutions that halve the sides
/// with each of the next widths, three times for pictures of latents of 8 pixels (Hu et al. 2024, Animate
/// Anyone; ControlNetConditioningEmbedding of diffusers), and where it attends a transformer among the places
/// of each picture, as Champ's guidance encoders have it (Zhu et al. 2024; of their six transformers their
/// code uses the last). A function of its weights; what the last convolution puts out begins at zero.
struct PoseGuider {
    GuiderSizes sizes = {};
    std::int64_t shrinks = 8;  ///< pixels of a place's side: a power of two, at most 8
    std::int64_t groups = 32;  ///< of the norm before the transformer
    std::string prefix = {};   ///< before the names of its weights

    void declareWeights(WeightInitializer& make) const;

    /// [clips, colours, frames, height, width] of 0 … 1 → [clips, outputs, frames, height / shrinks,
    /// width / shrinks].
    at::Tensor operator()(const Params& weights, const at::Tensor& drawings) const;
};

}  // namespace dailies::trainer::unet
