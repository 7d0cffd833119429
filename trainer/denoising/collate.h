#pragma once

#include "trainer/data/data_source.h"
#include "trainer/models/model_input.h"
#include "trainer/text/text_encoder.h"

#include <ATen/core/Tensor.h>

#include <vector>

namespace dailies::trainer {

/// [frames, height, width, channels] on the CPU: bytes of pixels, or float32 latents.
at::Tensor valuesOf(const Example& example);

/// [frames, height, width, 3] bytes → the model's scale, and back.
at::Tensor scaledPixels(const at::Tensor& bytes, const ValueScale& scale);
RgbClip toRgbClip(const at::Tensor& scaled, const ValueScale& scale);

/// [frames, height, width, 3] bytes, or latents, on the model's scale.
at::Tensor scaledValues(const at::Tensor& values, const ValueScale& scale);

/// Back from the model's scale: pixels of -1 … 1, or latents.
at::Tensor unscaledValues(const at::Tensor& scaled, const ValueScale& scale);

/// Frames a second, a usual number where the example has none: pictures, whose single frame has no rate.
double frameRate(const Example& example);

/// The captions as the model takes them. A dropped caption is the empty one.
TextInput textInput(const std::vector<Example>& examples, const std::vector<bool>& dropped,
                    const TextEncoder& encoder, at::Device device);

/// Each tensor of a text, changed.
template <class Change>
TextInput eachTensor(const TextInput& text, Change change) {
    const auto changed = [&](const at::Tensor& x) { return x.defined() ? change(x) : x; };
    return {changed(text.words), changed(text.embeddings), changed(text.mask), changed(text.bytes)};
}

}  // namespace dailies::trainer
