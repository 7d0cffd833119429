#pragma once

#include "core/config/train_config.h"

#include <ATen/core/Tensor.h>

namespace dailies::trainer {

/// The times, 0 (clip) … 1 (noise), that lie at these quantiles (0 … 1) of what `timesteps` names:
/// logit-normal (t = 1 - sigmoid(mean + std·n)), uniform, or mode sampling (Esser et al. 2024, eq. 20).
/// Float64; larger quantiles are noisier.
at::Tensor timesAt(const at::Tensor& quantiles, const config::TrainConfig::Diffusion& config);

}  // namespace dailies::trainer
