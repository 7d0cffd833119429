#pragma once

#include "trainer/diffusion/samplers/sampler.h"

namespace dailies::trainer {

/// Heun's method (Karras et al. 2022, algorithm 1, without added noise): each step is repeated with the mean
/// of the directions at its two ends, the second one taken at the *new* z and the *new* point. Second order,
/// two evaluations a step; the last step, to no noise, is Euler's.
///
/// The equation holds along any line of (alpha, sigma), so a step goes straight from point to point: for
/// flows that is Heun's method in t, for EDM in sigma, and where the path is curved each step takes the
/// chord.
class HeunSampler : public Sampler {
public:
    at::Tensor sample(const at::Tensor& noise, const Denoiser& denoise,
                      const std::vector<PathPoint>& grid) const override;
};

}  // namespace dailies::trainer
