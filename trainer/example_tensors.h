#pragma once

#include "trainer/data/data_source.h"
#include "trainer/data/vocabulary.h"
#include "trainer/models/model_family.h"

#include <ATen/core/Tensor.h>

#include <vector>

namespace dailies::trainer {

/// [frames, height, width, channels] on the CPU: bytes of pixels, or float32 latents.
at::Tensor valuesOf(const Example& example);

/// Values on the model's scale.
at::Tensor scaledValues(const at::Tensor& values, PixelScale scale);

/// Frames a second, a usual number where the example has none: pictures, whose single frame has no rate.
double frameRate(const Example& example);

/// The captions as the model takes them, on the CPU: words, or embeddings of `textWidth` where that is above
/// 0. A dropped caption is the empty one.
TextInput textInput(const std::vector<Example>& examples, const std::vector<bool>& dropped,
                    const Vocabulary& vocabulary, std::int64_t textWidth);

}  // namespace dailies::trainer
