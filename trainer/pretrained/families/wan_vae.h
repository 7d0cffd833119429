#pragma once

#include "trainer/pretrained/families/family.h"

namespace dailies::trainer::pretrained {

/// What fixes names and shapes of Wan's video autoencoders.
struct WanVaeSizes {
    bool residual = false;    ///< that of 2.2, whose levels have shortcuts; else that of 2.1
    std::int64_t pixels = 3;  ///< channels: colours, of 2.2 folded 2×2
    std::int64_t latents = 16;
    Extents encoder = {96, 192, 384, 384};  ///< channels of each level, from fine to coarse
    Extents decoder = {384, 384, 192, 96};  ///< and back
};

/// Its tensors by diffusers' names.
NamedShapes wanVaeTensors(const WanVaeSizes& sizes);

/// The name in diffusers of a tensor of the original checkpoints; other names as they are.
std::string wanVaeDiffusersName(const std::string& original);

/// `tensors`: by diffusers' names.
std::optional<Family> recogniseWanVae(const TensorTable& tensors, const Hints& hints);

}  // namespace dailies::trainer::pretrained
