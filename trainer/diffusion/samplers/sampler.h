#pragma once

#include "trainer/diffusion/objective.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace dailies::trainer {

/// The expected clean clip, given z at a point of the path.
using Denoiser = std::function<at::Tensor(const at::Tensor& noised, const PathPoint& at)>;

/// Solves the probability-flow equation dz = x̂·d(alpha) + ê·d(sigma), where ê = (z - alpha·x̂) / sigma, from
/// noise to clip: the interface that samplers implement. Every objective's path is given by its alpha and
/// sigma, so each sampler serves all of them. No state; any thread.
class Sampler {
public:
    virtual ~Sampler() = default;

    /// From noise of deviation 1 through the points of `grid`, noisiest first. The last point is not
    /// evaluated, so it may be free of noise.
    virtual at::Tensor sample(const at::Tensor& noise, const Denoiser& denoise,
                              const std::vector<PathPoint>& grid) const = 0;
};

/// "euler", "heun", "dpmpp_2m" or "unipc". Throws `InputError` for a sampler that this trainer lacks.
std::unique_ptr<Sampler> makeSampler(const std::string& name);

/// z at `to`, on the straight line from `from`, for a clean clip that stays as it is: the exact solution for
/// data of a single clip, DDIM's step, and Euler's along a line of alpha and sigma.
at::Tensor stepTowards(const at::Tensor& clean, const at::Tensor& noised, const PathPoint& from,
                       const PathPoint& to);

}  // namespace dailies::trainer
