#pragma once

#include "trainer/diffusion/objective.h"

namespace dailies::trainer {

/// `objective.loss` of clips [n, frames, height, width, channels], where errors count `weight` times in the
/// white of their masks [n, frames, pixels high, pixels wide, 1], and once where they are black:
/// MimicMotion's regional loss amplification (Zhang et al. 2024). Places of latents take their pixels' mean.
at::Tensor maskedLoss(const Objective& objective, const at::Tensor& output, const at::Tensor& clips,
                      const at::Tensor& noise, const at::Tensor& levels, const at::Tensor& mask,
                      double weight);

}  // namespace dailies::trainer
