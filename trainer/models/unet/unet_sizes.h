#pragma once

#include "trainer/models/unet/unet_levels.h"
#include "trainer/tensors/named_shapes.h"

namespace dailies::trainer::unet {

/// Motion modules: transformers over time, one behind each block of a U-Net (Guo et al. 2023, AnimateDiff).
struct MotionSizes {
    std::int64_t places = 0;  ///< frames that have a position, 24 (v1) or 32 (v2); 0: no motion modules
    bool middle = false;      ///< one behind the attention of the middle, too (v2)
};

/// What fixes names and shapes of the U-Nets of Stable Diffusion 1: UNet2DConditionModel of diffusers.
struct UnetSizes {
    std::int64_t inputs = 4;   ///< channels of the latents
    std::int64_t outputs = 4;  ///< 0: a ReferenceNet, whose last layers are left out
    Levels levels = {};
    std::int64_t context = 768;  ///< width of what cross-attention reads; 0: there is none
    std::int64_t heads = 8;      ///< everywhere; names and shapes do not tell it
    std::int64_t groups = 32;    ///< of the norms; nor this
    MotionSizes motion = {};

    std::int64_t timeWidth() const { return 4 * levels.channels.front(); }
};

/// Its tensors by diffusers' names. Positions of motion modules follow from a formula and are none.
NamedShapes unetTensors(const UnetSizes& sizes);
/// Those of a feed-forward layer with gates: FeedForward of diffusers.
void addGatedLayer(NamedShapes& all, const std::string& name, std::int64_t width);
/// Those of BasicTransformerBlock: attention to its own tokens, then to `context` channels of others (0: to
/// none), a feed-forward layer.
void addTransformerBlock(NamedShapes& all, const std::string& name, std::int64_t width, std::int64_t context);
/// Those of a transformer among the places of a picture, by diffusers' names behind `name`:
/// Transformer2DModel of one block. `context`: width of what cross-attention reads; 0: there is none.
void addPictureTransformer(NamedShapes& all, const std::string& name, std::int64_t width,
                           std::int64_t context);
/// Those of its motion modules alone: MotionAdapter of diffusers.
NamedShapes motionTensors(const UnetSizes& sizes);

/// What fixes names and shapes of a pose guider's weights.
struct GuiderSizes {
    std::int64_t colours = 3;
    Extents widths = {16, 32, 96, 256};  ///< of its convolutions: those of the released weights
    std::int64_t outputs = 320;          ///< channels of the U-Net's first level
    bool attends = false;                ///< a transformer stands before the last convolution
};

/// Its tensors: conv_in, blocks.0 …, conv_out, and those of the transformer behind "attention.".
NamedShapes guiderTensors(const GuiderSizes& sizes);

}  // namespace dailies::trainer::unet
