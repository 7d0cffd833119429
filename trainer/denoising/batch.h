#pragma once

#include "trainer/denoising/image_condition.h"
#include "trainer/models/model_input.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace dailies::trainer {

/// Clips of one size in a batch, scaled: pixels, or latents where the data hold those.
struct BatchGroup {
    at::Tensor clips;  ///< [n, frames, height, width, channels]
    at::Tensor noise;  ///< like clips
    double fps = 24;
    Character character = {};
    ImageTensors image = {};  ///< of their first frames, where the model begins with images
};

/// One rank's share of one step, on the device. Clips are counted through the groups, in order.
struct Batch {
    std::vector<BatchGroup> groups;  ///< one, or as many as sizes that are packed together
    TextInput text;
    at::Tensor quantiles;                ///< [clips], on the CPU: how noisy, see drawQuantiles
    at::Tensor conditioningFrames = {};  ///< [clips], on the CPU: see drawConditioningFrames
    std::int64_t globalClips = 0;        ///< of all ranks
    std::int64_t globalTokens = 0;
    std::vector<std::int64_t> globalIndices =
        {};  ///< of the clips in the global batch: the same in any layout
    std::vector<std::uint64_t> dropoutKeys = {};  ///< ModelInput::dropoutKeys

    std::int64_t clips() const { return quantiles.size(0); }

    /// The index-th of so many parts of equally many clips.
    Batch part(std::int64_t index, std::int64_t parts) const;
};

}  // namespace dailies::trainer
