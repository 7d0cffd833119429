#pragma once

#include "core/planner/weight_sizes.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dailies::planner {

/// The layers of models that are U-Nets (trainer/models/animate, trainer/models/mimic_motion,
/// trainer/models/svd), with what reads their drawings. Operations are those of one forward pass of
/// one clip.
struct UnetCount {
    struct Weight {
        std::int64_t elements = 0;
        std::string part;  ///< as its name begins: "denoiser.", "denoiser.motion_modules.", "unet.", …
    };
    std::vector<Weight> weights;
    double layers = 0;     ///< convolutions and matrices behind the first ones
    double attention = 0;  ///< scores and mixtures, among places and over time
    double ends = 0;       ///< first and last convolutions, the noise level's embedding
    double atInputs = 0;   ///< of that in layers whose input takes no gradient
    double kept = 0;       ///< numbers that the backward pass reads, of one clip
    double normed = 0;     ///< further ones, which norms and SiLU make: float32 whatever the precision
    double widest = 0;     ///< numbers that a layer reads and makes at the widest
    /// Of `kept` and `normed` what lies in blocks, and what `model.recompute` full keeps in its place: their
    /// inputs. `block…`: of the largest block, which the backward pass computes again.
    double inBlocks = 0, normedInBlocks = 0, blockInputs = 0;
    double blockKept = 0, blockNormed = 0;
};
UnetCount unetCount(const config::TrainConfig& config, const DataShape& data, const ClipShape& clip);

/// Channels of a pose guider's convolutions: 16, 32, 96 and 256 for the published U-Nets, which are 320
/// channels wide.
std::vector<std::int64_t> guiderWidths(std::int64_t width);
/// And of MimicMotion's PoseNet: 16, 32, 64 and 128.
std::vector<std::int64_t> poseNetWidths(std::int64_t width);

}  // namespace dailies::planner
