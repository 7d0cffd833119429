#pragma once

#include "core/config/train_config.h"

#include <ATen/core/Tensor.h>

namespace dailies::trainer {

/// The times, 0 (clip) … 1 (noise), that lie at these quantiles (0 … 1) of what `timesteps` names:
/// logit-normal (t = 1 - sigmoid(mean + std·n)), uniform, or mode sampling (Esser et al. 2024, eq. 20), each
/// shifted to shift·t / (1 + (shift - 1)·t). Of the density's part between `timestep_from` and `timestep_to`,
/// whose form stays as it is. Float64; larger quantiles are noisier.
at::Tensor timesAt(const at::Tensor& quantiles, const config::TrainConfig::Diffusion& config,
                   double shift = 1);

}  // namespace dailies::trainer
