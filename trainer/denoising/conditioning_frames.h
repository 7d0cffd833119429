#pragma once

#include "core/config/train_config.h"
#include "trainer/data/value_scale.h"
#include "trainer/diffusion/samplers/sampler.h"
#include "trainer/tokenizers/tokenizer.h"

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <vector>

namespace dailies::trainer {

/// How many of its first frames each clip is given in a step, [clips] on the CPU, where the model is
/// conditioned on frames: none, or for `model.given_share` of the clips from 1 to `model.given_frames`.
/// Undefined where it is not. `globalIndices` are those of the clips in the global batch: any layout draws
/// the same.
at::Tensor drawConditioningFrames(const config::TrainConfig& config, std::int64_t step,
                                  const std::vector<std::int64_t>& globalIndices);

/// The first `counts` [clips] frames of clean clips as a model reads them: `ClipGroup::conditioning`.
at::Tensor conditioningFrames(const at::Tensor& clips, const at::Tensor& counts);

/// `Objective::loss` of clips of which some are given their first frame in place, as `given` says: there it
/// does not count, because it is no task.
at::Tensor lossWithoutGivenFrame(const Objective& objective, const at::Tensor& output,
                                 const at::Tensor& clips, const at::Tensor& noise, const at::Tensor& levels,
                                 const at::Tensor& given);

/// What a sampled clip begins with, on the model's scale: [frames, height, width, channels], pixels or
/// latents, from a picture or from the last frames of a video. `tokenizer`: null where the model makes
/// pixels. Frames are taken, scaled and cropped like those of training clips; as many as the file has, at
/// most `model.given_frames`. Throws `InputError` that names the file when it cannot be read.
at::Tensor readConditioningFrames(const std::filesystem::path& file, const config::TrainConfig& config,
                                  const Tokenizer* tokenizer, const ValueScale& scale);

/// The denoiser, which knows the frames that are given (ClipGroup::conditioning; undefined: none): whatever
/// the network expects of them, they stay as they are, and every sampler's path ends with them.
Denoiser withConditioningFrames(const at::Tensor& given, Denoiser denoise);

}  // namespace dailies::trainer
