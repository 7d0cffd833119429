#include "trainer/optim/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace dailies::trainer {

double learningRate(const config::TrainConfig& config, std::int64_t step) {
    const auto& optimizer = config.optimizer;
    const auto steps = static_cast<double>(config.steps);
    const auto warmup = static_cast<double>(optimizer.warmup_steps);
    const auto done = static_cast<double>(step - 1);  // steps already made
    if (step < optimizer.warmup_steps) return optimizer.lr * static_cast<double>(step) / warmup;

    if (optimizer.schedule == "linear" && optimizer.decay_fraction > 0)
        return optimizer.lr * std::min(1.0, (steps - done) / (steps * optimizer.decay_fraction));
    if (optimizer.schedule == "cosine") {
        const double progress = std::clamp((done - warmup) / std::max(1.0, steps - warmup), 0.0, 1.0);
        return optimizer.lr * 0.5 * (1 + std::cos(std::numbers::pi * progress));
    }
    return optimizer.lr;
}

}  // namespace dailies::trainer
