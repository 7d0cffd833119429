#pragma once

#include "core/config/train_config.h"
#include "trainer/tensors/params.h"

namespace dailies::trainer {

/// How much of the average stays at the update of step 1 … : optimizer.ema_decay, warmed up as
/// diffusers' EMAModel does: 0 at the first, which forgets the initial weights, then (1 + n) / (10 + n) after
/// n updates while that is less; or, with optimizer.ema_power γ above 0, the power-function profile (1 -
/// 1/step)^(γ + 1) of Karras et al. 2024 (arXiv 2312.02696, eq. 3).
double emaDecay(const config::TrainConfig::Optimizer& config, std::int64_t step);

/// Exponential moving average of weights: average ← decay·average + (1 - decay)·weights.
void updateEma(const Params& average, const Params& weights, double decay);

}  // namespace dailies::trainer
