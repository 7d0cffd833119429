#include "trainer/diffusion/samplers/dpmpp_2m.h"

#include <torch/types.h>

#include <cmath>

namespace dailies::trainer {

at::Tensor Dpmpp2mSampler::sample(const at::Tensor& noise, const Denoiser& denoise,
                                  const std::vector<PathPoint>& grid) const {
    auto noised = noise * grid.front().sigma;
    at::Tensor before;  // the clean clip of the step before
    for (std::size_t i = 0; i + 1 < grid.size(); ++i) {
        const auto &from = grid[i], &to = grid[i + 1];
        const auto clean = denoise(noised, from);
        auto expected = clean;
        if (i > 0 && to.sigma > 0) {
            const double step = halfLogSnr(to) - halfLogSnr(from);
            const double stepBefore = halfLogSnr(from) - halfLogSnr(grid[i - 1]);  // ∞ after pure noise
            expected = clean + (clean - before) * (step / (2 * stepBefore));
        }
        noised = stepTowards(expected, noised, from, to);
        before = clean;
    }
    return noised;
}

double halfLogSnr(const PathPoint& point) {
    return std::log(point.alpha / point.sigma);
}

}  // namespace dailies::trainer
