#include "trainer/diffusion/timesteps.h"

#include <torch/types.h>

#include <numbers>

namespace dailies::trainer {

at::Tensor timesAt(const at::Tensor& quantiles, const config::TrainConfig::Diffusion& config) {
    if (config.timesteps == "uniform") return quantiles;
    if (config.timesteps == "mode") {
        const auto pull = at::square(at::sin(quantiles * (std::numbers::pi / 2))) - quantiles;
        return quantiles - config.mode_scale * pull;
    }
    // the larger the normal number, the smaller the time
    const auto logit = config.timestep_mean - config.timestep_std * at::special_ndtri(quantiles);
    return 1 / (1 + at::exp(logit));
}

}  // namespace dailies::trainer
