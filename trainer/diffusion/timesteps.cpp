#include "trainer/diffusion/timesteps.h"

#include <torch/types.h>

#include <numbers>

namespace dailies::trainer {

namespace {

at::Tensor unshifted(const at::Tensor& quantiles, const config::TrainConfig::Diffusion& config) {
    if (config.timesteps == "uniform") return quantiles;
    if (config.timesteps == "mode") {
        const auto pull = at::square(at::sin(quantiles * (std::numbers::pi / 2))) - quantiles;
        return quantiles - config.mode_scale * pull;
    }
    // the larger the normal number, the smaller the time
    const auto logit = config.timestep_mean - config.timestep_std * at::special_ndtri(quantiles);
    return 1 / (1 + at::exp(logit));
}

at::Tensor shiftedTimes(const at::Tensor& quantiles, const config::TrainConfig::Diffusion& config,
                        double shift) {
    const auto times = unshifted(quantiles, config);
    return shift == 1 ? times : shift * times / (1 + (shift - 1) * times);
}

/// The quantiles at which these times lie.
at::Tensor quantilesOf(const at::Tensor& times, const config::TrainConfig::Diffusion& config, double shift) {
    constexpr int kHalvings = 53;
    auto low = at::zeros_like(times), high = at::ones_like(times);
    for (int i = 0; i < kHalvings; ++i) {
        const auto middle = (low + high) / 2;
        const auto below = shiftedTimes(middle, config, shift) < times;
        low = at::where(below, middle, low);
        high = at::where(below, high, middle);
    }
    return (low + high) / 2;
}

}  // namespace

at::Tensor timesAt(const at::Tensor& quantiles, const config::TrainConfig::Diffusion& config, double shift) {
    const double from = config.timestep_from, to = config.timestep_to;
    if (from <= 0 && to >= 1) return shiftedTimes(quantiles, config, shift);
    const auto ends = quantilesOf(at::tensor({from, to}, at::kDouble), config, shift).to(quantiles.device());
    return shiftedTimes(at::lerp(ends[0], ends[1], quantiles), config, shift).clamp(from, to);
}

}  // namespace dailies::trainer
