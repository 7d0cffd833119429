#pragma once

#include <cmath>
#include <limits>

namespace dailies::tracking {

/// A metric's value as MLflow's columns hold it. NaN is 0 with a flag (a bound NaN would become NULL);
/// infinity is the largest double.
struct StoredValue {
    double value = 0;
    int isNan = 0;
};

inline StoredValue toStored(double value) {
    constexpr double kLargest = std::numeric_limits<double>::max();
    if (std::isnan(value)) return {0.0, 1};
    if (std::isinf(value)) return {value > 0 ? kLargest : -kLargest, 0};
    return {value, 0};
}

inline double fromStored(double value, bool isNan) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    constexpr double kLargest = std::numeric_limits<double>::max();
    if (isNan) return std::numeric_limits<double>::quiet_NaN();
    if (value >= kLargest) return kInfinity;
    if (value <= -kLargest) return -kInfinity;
    return value;
}

/// The point as it will be read back from the table, which keeps no -0.
inline double asRead(double value) {
    const StoredValue stored = toStored(value);
    return fromStored(stored.value, stored.isNan != 0) + 0.0;
}

}  // namespace dailies::tracking
