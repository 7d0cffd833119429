#include "trainer/diffusion/samplers/heun.h"

#include <torch/types.h>

namespace dailies::trainer {

at::Tensor HeunSampler::sample(const at::Tensor& noise, const Denoiser& denoise,
                               const std::vector<PathPoint>& grid) const {
    auto noised = noise * grid.front().sigma;
    for (std::size_t i = 0; i + 1 < grid.size(); ++i) {
        const auto &from = grid[i], &to = grid[i + 1];
        const auto clean = denoise(noised, from);
        const auto predicted = stepTowards(clean, noised, from, to);
        if (to.sigma == 0) return predicted;
        // the change of z over the whole step, with the direction at its end
        const double noiseGrowth = (to.sigma - from.sigma) / to.sigma;
        const auto atEnd = predicted * noiseGrowth +
                           denoise(predicted, to) * (to.alpha - from.alpha - to.alpha * noiseGrowth);
        noised = (noised + predicted + atEnd) / 2;
    }
    return noised;
}

}  // namespace dailies::trainer
