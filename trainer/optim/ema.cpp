#include "trainer/optim/ema.h"

#include <torch/types.h>

#include <algorithm>
#include <cmath>

namespace dailies::trainer {

double emaDecay(const config::TrainConfig::Optimizer& config, std::int64_t step) {
    if (config.ema_power <= 0) {
        if (step == 1) return 0;
        const auto before = static_cast<double>(step - 1);
        return std::min(config.ema_decay, (1 + before) / (10 + before));
    }
    return std::pow(1 - 1 / static_cast<double>(step), config.ema_power + 1);
}

void updateEma(const Params& average, const Params& weights, double decay) {
    std::vector<at::Tensor> current;
    for (const auto& weight : weights.tensors()) current.push_back(weight.detach());
    at::_foreach_lerp_(average.tensors(), current, 1 - decay);
}

}  // namespace dailies::trainer
