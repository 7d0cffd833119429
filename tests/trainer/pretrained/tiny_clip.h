#pragma once

#include "trainer/models/clip/clip_sizes.h"
#include "trainer/tensors/params.h"

#include <cstdint>
#include <filesystem>

namespace dailies::trainer {

/// An image encoder of CLIP that fits a test.
inline clip::VisionSizes tinyClipVision() {
    return {.tower = {.width = 32, .layers = 2, .heads = 4, .hidden = 48, .projection = 8},
            .patch = 4,
            .side = 12};
}

/// Random weights by transformers' names: float32.
Params clipVisionWeights(const clip::VisionSizes& sizes, std::uint64_t seed = 1);

/// A folder with them and their config.json, as transformers leaves it.
void writeClipVision(const std::filesystem::path& folder, const clip::VisionSizes& sizes,
                     std::uint64_t seed = 1);

}  // namespace dailies::trainer
