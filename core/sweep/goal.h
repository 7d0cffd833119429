#pragma once

#include <cmath>

namespace dailies::sweep {

/// Whether less or more of a metric is better. W&B's words.
enum class Goal { Minimize, Maximize };

/// Whether `value` beats `other`. What is not finite beats nothing, and everything finite beats it.
inline bool isBetter(double value, double other, Goal goal) {
    if (!std::isfinite(value) || !std::isfinite(other)) return std::isfinite(value) && !std::isfinite(other);
    return goal == Goal::Minimize ? value < other : value > other;
}

}  // namespace dailies::sweep
