#pragma once

#include "core/config/train_config.h"

#include <ATen/core/Tensor.h>

#include <vector>

namespace dailies::trainer {

/// How many of its first frames each clip is given in a step, [clips] on the CPU, where the model is
/// conditioned on frames: none, or for `model.given_share` of the clips from 1 to `model.given_frames`.
/// Undefined where it is not. `places` are those of the clips in the global batch: any layout draws the same.
at::Tensor drawGivenFrames(const config::TrainConfig& config, std::int64_t step,
                           const std::vector<std::int64_t>& places);

/// The first `counts` [clips] frames of clean clips as a model reads them: `ClipGroup::given`.
at::Tensor givenFrames(const at::Tensor& clips, const at::Tensor& counts);

}  // namespace dailies::trainer
