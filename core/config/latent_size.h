#pragma once

#include "core/config/bucket.h"

namespace dailies::config {

/// What the model sees of clips of this size: their latents where the configuration has a tokenizer, which
/// makes 1 + (frames - 1) / frames_factor frames of them, so that the first frame alone is a picture; else
/// the clips. Throws `InputError` with the nearest sizes that the tokenizer takes.
Bucket modelInputSize(const TrainConfig& config, const Bucket& clip);

/// Pixels of the side of what the model sees as one value: of a latent, or 1 where it sees pixels.
std::int64_t latentPixels(const TrainConfig& config);

/// Frames of a clip that each frame of what the model sees stands for, but the first of latents, which is a
/// picture.
std::int64_t framesPerLatent(const TrainConfig& config);

/// The length or side that the tokenizer makes of one. Throws `InputError` with the nearest that it takes.
std::int64_t latentFrames(std::int64_t frames, std::int64_t factor);
std::int64_t latentSide(std::int64_t side, std::int64_t factor);

}  // namespace dailies::config
