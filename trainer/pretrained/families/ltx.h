#pragma once

#include "trainer/pretrained/families/family.h"

namespace dailies::trainer::pretrained {

/// What fixes names and shapes of an LTX-Video transformer.
struct LtxSizes {
    std::int64_t width = 2048, mlpWidth = 8192, layers = 28, channels = 128, textWidth = 4096,
                 timeChannels = 256;
};

/// Its tensors by diffusers' names.
NamedShapes ltxTensors(const LtxSizes& sizes);

/// The name in diffusers of a tensor of the original checkpoints; other names as they are.
std::string ltxDiffusersName(const std::string& original);

/// `tensors`: by diffusers' names.
std::optional<Family> recogniseLtx(const TensorTable& tensors, const Hints& hints);

}  // namespace dailies::trainer::pretrained
