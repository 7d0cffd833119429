#pragma once

#include "trainer/models/unet/spatio_temporal_sizes.h"
#include "trainer/models/weight_initializer.h"

namespace dailies::trainer::unet {

/// What makes of drawn poses what the U-Net of MimicMotion adds behind its first convolution (Zhang et al.
/// 2024: modules/pose_net.py). A function of its weights; what it puts out begins at zero.
struct PoseNet {
    PoseNetSizes sizes = {};
    std::string prefix = {};  ///< before the names of its weights

    void declareWeights(WeightInitializer& make) const;

    /// [clips, colours, frames, height, width] of 0 … 1 → [clips, outputs, frames, height / shrinks,
    /// width / shrinks].
    at::Tensor operator()(const Params& weights, const at::Tensor& drawings) const;
};

}  // namespace dailies::trainer::unet
