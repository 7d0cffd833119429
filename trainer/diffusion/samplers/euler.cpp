#include "trainer/diffusion/samplers/euler.h"

#include <torch/types.h>

namespace dailies::trainer {

at::Tensor EulerSampler::sample(const at::Tensor& noise, const Denoiser& denoise,
                                const std::vector<PathPoint>& grid) const {
    auto noised = noise * grid.front().sigma;
    for (std::size_t i = 0; i + 1 < grid.size(); ++i)
        noised = stepTowards(denoise(noised, grid[i]), noised, grid[i], grid[i + 1]);
    return noised;
}

}  // namespace dailies::trainer
