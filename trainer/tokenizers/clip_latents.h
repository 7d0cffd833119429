#pragma once

#include "trainer/data/array.h"
#include "trainer/data/example.h"
#include "trainer/tokenizers/tokenizer.h"

namespace dailies::trainer {

/// [frames, height, width, 3] on the CPU.
at::Tensor bytesOf(const RgbClip& clip);

/// As float32, wherever they lie.
Array toArray(const at::Tensor& values);

/// [frames, height, width, channels] of latents, as the tokenizer makes them. Throws as `Tokenizer::encode`.
Array latentsOf(const Tokenizer& tokenizer, const RgbClip& clip);

}  // namespace dailies::trainer
