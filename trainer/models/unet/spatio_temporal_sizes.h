#pragma once

#include "trainer/models/unet/unet_levels.h"

namespace dailies::trainer::unet {

/// What fixes names and shapes of the U-Net of Stable Video Diffusion: UNetSpatioTemporalConditionModel of
/// diffusers.
struct SpatioTemporalSizes {
    std::int64_t inputs = 8;  ///< channels: of the noisy latents and of the image's
    std::int64_t outputs = 4;
    Levels levels = {};
    std::int64_t context = 1024;    ///< width of what cross-attention reads; 0: there is none
    std::int64_t headWidth = 64;    ///< so that wider levels have more heads; names and shapes do not tell it
    std::int64_t groups = 32;       ///< of the norms; nor this
    std::int64_t labelWidth = 256;  ///< of the sinusoids that tell each label

    std::int64_t timeWidth() const { return 4 * levels.channels.front(); }
};

/// Numbers that it is told of a clip beside the noise level: frames per second, motion and the noise of the
/// image.
inline constexpr std::int64_t kLabels = 3;

/// Its tensors by diffusers' names.
NamedShapes spatioTemporalTensors(const SpatioTemporalSizes& sizes);

/// What fixes names and shapes of PoseNet: MimicMotion's, whose input has as many channels as colours.
struct PoseNetSizes {
    std::int64_t colours = 3;
    Extents widths = {16, 32, 64, 128};  ///< of its convolutions, as released
    std::int64_t outputs = 320;          ///< channels of the U-Net's first level
    std::int64_t shrinks = 8;            ///< pixels of a place's side: a power of two, at most 8
};

/// Its tensors by MimicMotion's names: conv_layers.0, .2 … .14, final_proj, scale.
NamedShapes poseNetTensors(const PoseNetSizes& sizes);

/// The convolutions among them: those that halve the sides read 4 × 4 pixels, all others 3 × 3.
struct PoseConvolution {
    std::string name;
    std::int64_t in = 0, out = 0;
    bool halves = false;

    std::int64_t side() const { return halves ? 4 : 3; }
};
std::vector<PoseConvolution> poseConvolutions(const PoseNetSizes& sizes);

}  // namespace dailies::trainer::unet
