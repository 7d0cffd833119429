#pragma once

#include "core/config/train_config.h"

#include <ATen/core/Tensor.h>

namespace dailies::trainer {

/// How noisy the samples `first` … `first + count - 1` of a step are, among the `globalCount` of its global
/// batch: quantiles (0 < q < 1) of the objective's noise distribution, for Objective::levels. [count],
/// float64, on the CPU.
///
/// They depend on the seed, the step and the sample's place in the global batch, never on how the batch is
/// cut. Stratified (diffusion.stratified), each n-th of 0 … 1 holds exactly one of a step's n samples, which
/// of them being drawn anew each step, so that the loss of a step varies less.
at::Tensor drawQuantiles(const config::TrainConfig& config, std::int64_t step, std::int64_t first,
                         std::int64_t count, std::int64_t globalCount);

}  // namespace dailies::trainer
