#pragma once

#include "trainer/models/unet/spatio_temporal_sizes.h"
#include "trainer/models/weight_initializer.h"

namespace dailies::trainer::unet {

struct SpatioTemporalInput {
    at::Tensor
        latents;       ///< [clips, channels, frames, rows, columns], those of the image behind the noisy ones
    at::Tensor times;  ///< [clips]: noise levels as the net is told them, a quarter of ln σ
    at::Tensor context = {};  ///< [clips, tokens, width]: what an encoder sees in the image
    at::Tensor labels;        ///< [clips, kLabels]
    /// [clips, channels of the first level, frames, rows, columns], added behind the first convolution: the
    /// pose (pose_net.h); undefined: nothing.
    at::Tensor added = {};
    /// Keep of each block its inputs only, and compute it again in the backward pass, until which weights and
    /// U-Net must live.
    bool recompute = false;
};

/// The U-Net of Stable Video Diffusion (Blattmann et al. 2023; UNetSpatioTemporalConditionModel of
/// diffusers): behind each layer for pictures stands one over time, and a learned share of each is taken. A
/// function of its weights, by diffusers' names.
class SpatioTemporalUnet {
public:
    /// `prefix`: stands before the names of its weights. Throws `InputError` where heads or groups do not
    /// divide the channels.
    explicit SpatioTemporalUnet(const SpatioTemporalSizes& sizes, std::string prefix = "");

    const SpatioTemporalSizes& sizes() const { return m_sizes; }

    /// Weights to begin with: residual blocks over time begin by adding nothing.
    void declareWeights(WeightInitializer& make) const;

    /// [clips, outputs, frames, rows, columns].
    at::Tensor operator()(const Params& weights, const SpatioTemporalInput& input) const;

private:
    class Pass;
    struct Block;

    SpatioTemporalSizes m_sizes;
    std::string m_prefix;
};

}  // namespace dailies::trainer::unet
