#pragma once

#include "trainer/models/layers/group_norm.h"
#include "trainer/models/layers/projected_attention.h"

namespace dailies::trainer::unet {

/// A transformer over time: each place of the pictures attends to the same place in all frames of its clip,
/// twice (Guo et al. 2023, AnimateDiff: motion_module.py). Names are those of diffusers' MotionAdapter.
struct MotionModule {
    layers::GroupNorm norm;
    layers::ProjectedAttention attention;
    std::int64_t places = 32;  ///< frames that have a position
    /// Whether the statistics of the norm before it run over all frames of a clip, as in diffusers'
    /// UNetMotionModel, rather than over each frame, as in AnimateDiff, whose weights learned so.
    bool normsAcrossFrames = false;

    /// `pictures`: [clips · frames, channels, rows, columns], those of a clip one behind the other. Throws
    /// `InputError` for clips of more frames than have a position.
    at::Tensor operator()(const Params& weights, const std::string& name, const at::Tensor& pictures,
                          std::int64_t frames) const;
};

/// Positions [frames, channels]: sines in even channels 2i, cosines behind them, of frame · 10000^(-2i /
/// channels) (Vaswani et al. 2017).
at::Tensor framePositions(std::int64_t frames, std::int64_t channels);

}  // namespace dailies::trainer::unet
