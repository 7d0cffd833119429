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

    const bool decaysAtTheEnd = optimizer.schedule == "linear" || optimizer.schedule == "wsd";
    if (decaysAtTheEnd && optimizer.decay_fraction > 0) {
        const double left = std::min(1.0, (steps - done) / (steps * optimizer.decay_fraction));
        return optimizer.lr * (optimizer.schedule == "linear" ? left : 1 - std::sqrt(1 - left));
    }
    if (optimizer.schedule == "cosine") {
        const double progress = std::clamp((done - warmup) / std::max(1.0, steps - warmup), 0.0, 1.0);
        return optimizer.lr * 0.5 * (1 + std::cos(std::numbers::pi * progress));
    }
    return optimizer.lr;
}

}  // namespace dailies::trainer
