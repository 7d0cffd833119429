#pragma once

#include "trainer/pretrained/families/family.h"

namespace dailies::trainer::pretrained {

/// What fixes names and shapes of a Wan transformer.
struct WanSizes {
    std::int64_t width = 0, mlpWidth = 0, layers = 0;
    std::int64_t inChannels = 16, outChannels = 16;
    Extents patch = {1, 2, 2};  ///< frames, rows, columns
    std::int64_t textWidth = 4096, timeChannels = 256;
    std::int64_t imageWidth = 0;   ///< of CLIP's image tokens; 0: no image path
    std::int64_t imageTokens = 0;  ///< of a learned table of their places (first and last frame); 0: none
};

/// Its tensors by diffusers' names.
NamedShapes wanTensors(const WanSizes& sizes);

/// The name in diffusers of a tensor of the original checkpoints; other names as they are.
std::string wanDiffusersName(const std::string& original);

/// `tensors`: by diffusers' names.
std::optional<Family> recogniseWan(const TensorTable& tensors, const Hints& hints);

/// A model of a pair, one of which denoises clips of much and the other those of little noise.
struct WanExpert {
    std::string noise;    ///< "high" or "low"; empty where its path does not tell
    double boundary = 0;  ///< the time from which on the noise is high
};

/// Nothing for a model that denoises all. `called`: as `recogniseWan` gave it.
std::optional<WanExpert> wanExpert(const std::string& called);

}  // namespace dailies::trainer::pretrained
