#include "trainer/optim/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace dailies::trainer {

namespace {

/// Of the peak, as if there were no least rate.
double scheduled(const config::TrainConfig& config, std::int64_t step) {
    const auto& optimizer = config.optimizer;
    const auto steps = static_cast<double>(config.steps);
    const auto warmup = static_cast<double>(optimizer.warmup_steps);
    const auto done = static_cast<double>(step - 1);  // steps already made
    const bool decaysAtTheEnd = optimizer.schedule == "linear" || optimizer.schedule == "wsd";
    if (decaysAtTheEnd && optimizer.decay_fraction > 0) {
        const double left = std::min(1.0, (steps - done) / (steps * optimizer.decay_fraction));
        return optimizer.schedule == "linear" ? left : 1 - std::sqrt(1 - left);
    }
    if (optimizer.schedule == "cosine") {
        const double progress = std::clamp((done - warmup) / std::max(1.0, steps - warmup), 0.0, 1.0);
        return 0.5 * (1 + std::cos(std::numbers::pi * progress));
    }
    return 1;
}

}  // namespace

double learningRate(const config::TrainConfig& config, std::int64_t step) {
    const auto& optimizer = config.optimizer;
    if (step < optimizer.warmup_steps)
        return optimizer.lr * static_cast<double>(step) / static_cast<double>(optimizer.warmup_steps);
    return optimizer.min_lr + (optimizer.lr - optimizer.min_lr) * scheduled(config, step);
}

}  // namespace dailies::trainer
