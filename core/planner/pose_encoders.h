#pragma once

#include "core/planner/weight_sizes.h"

#include <cstdint>
#include <vector>

namespace dailies::planner {

/// What fixes the encoders of drawn poses of UniAnimate-DiT (ali-vilab/UniAnimate-DiT,
/// WanUniAnimateVideoPipeline).
struct PoseEncoderSizes {
    std::int64_t width = 5120;         ///< of the transformer
    std::int64_t given = 20;           ///< channels that it reads beside the noisy latents
    std::int64_t latentPixels = 8;     ///< a power of two
    std::int64_t framesPerLatent = 4;  ///< a power of two, at most `latentPixels`
    std::int64_t patchSize = 2;

    static PoseEncoderSizes of(const config::TrainConfig& config, const DataShape& data);
};

/// A convolution of frames, rows and columns, or of rows and columns; SiLU stands between two.
struct PoseLayer {
    std::int64_t outputs = 0, inputs = 0;
    std::vector<std::int64_t> kernel, stride, padding;  ///< an axis each
};

/// Of drawn poses, to what is added to the clip's tokens.
std::vector<PoseLayer> motionLayers(const PoseEncoderSizes& sizes);
/// Of the reference picture's drawn pose, to what is added to its latents.
std::vector<PoseLayer> referenceLayers(const PoseEncoderSizes& sizes);

/// Of one clip. Operations are those of one forward pass.
struct PoseEncoderCount {
    std::vector<std::int64_t> weights;  ///< elements of each
    double operations = 0;
    double atInputs = 0;  ///< of that in layers that read drawings
    double kept = 0;      ///< numbers that the backward pass reads
};
/// `clip`: as the model sees it.
PoseEncoderCount countPoseEncoders(const PoseEncoderSizes& sizes, const ClipShape& clip);

}  // namespace dailies::planner
