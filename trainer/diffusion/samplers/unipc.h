#pragma once

#include "trainer/diffusion/samplers/sampler.h"

namespace dailies::trainer {

/// UniPC (Zhao et al. 2023) of order 2, on the clean clip, with B(h) = e^h - 1: a predictor like DPM++ 2M,
/// and a corrector that, once the next evaluation is there, repeats the step with it. One evaluation a step.
/// The first step, and the last one to no noise, are of first order.
class UniPcSampler : public Sampler {
public:
    at::Tensor sample(const at::Tensor& noise, const Denoiser& denoise,
                      const std::vector<PathPoint>& grid) const override;
};

}  // namespace dailies::trainer
