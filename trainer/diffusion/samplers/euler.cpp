#include "trainer/diffusion/samplers/euler.h"

#include <torch/types.h>

namespace dailies::trainer {

at::Tensor EulerSampler::sample(const at::Tensor& noise, const Denoiser& denoise,
                                const std::vector<PathPoint>& grid) const {
    auto mixed = noise * grid.front().sigma;
    for (std::size_t i = 0; i + 1 < grid.size(); ++i)
        mixed = stepTowards(denoise(mixed, grid[i]), mixed, grid[i], grid[i + 1]);
    return mixed;
}

}  // namespace dailies::trainer
