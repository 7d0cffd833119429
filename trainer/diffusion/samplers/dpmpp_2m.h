#pragma once

#include "trainer/diffusion/samplers/sampler.h"

namespace dailies::trainer {

/// DPM-Solver++(2M) (Lu et al. 2022b, algorithm 2): integrates exactly in λ = ln(alpha / sigma) and
/// extrapolates the clean clip from the last two evaluations. Second order for one evaluation a step. The
/// first step, and the last one to no noise, are of first order.
class Dpmpp2mSampler : public Sampler {
public:
    at::Tensor sample(const at::Tensor& noise, const Denoiser& denoise,
                      const std::vector<PathPoint>& grid) const override;
};

/// λ = ln(alpha / sigma), half the logarithm of the signal-to-noise ratio: -∞ at pure noise, ∞ at a clip.
double halfLogSnr(const PathPoint& point);

}  // namespace dailies::trainer
