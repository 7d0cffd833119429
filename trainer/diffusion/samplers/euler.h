#pragma once

#include "trainer/diffusion/samplers/sampler.h"

namespace dailies::trainer {

/// Steps with the clean clip expected at the start of each: first order, one evaluation a step. For flows it
/// is Euler's method in t, for EDM in sigma, for variance-preserving paths DDIM (Song et al. 2021).
class EulerSampler : public Sampler {
public:
    at::Tensor sample(const at::Tensor& noise, const Denoiser& denoise,
                      const std::vector<PathPoint>& grid) const override;
};

}  // namespace dailies::trainer
