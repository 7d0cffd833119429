#pragma once

#include "core/config/train_config.h"

namespace dailies::trainer {

/// The learning rate of step 1 … config.steps: warm-up rises linearly to optimizer.lr at step warmup_steps,
/// then
/// - constant: stays;
/// - linear: stays, then falls linearly over the last decay_fraction of the steps, to optimizer.min_lr just
///   after the last;
/// - wsd (warm-up, stable, decay): the same with 1 - sqrt(share of the decay gone by), which ends at lower
///   losses (Hägele et al. 2024, arXiv 2405.18392);
/// - cosine: falls along half a cosine over all remaining steps, to min_lr as well.
double learningRate(const config::TrainConfig& config, std::int64_t step);

}  // namespace dailies::trainer
