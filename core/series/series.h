#pragma once

#include <cstdint>
#include <limits>
#include <vector>

/// What a curve needs between the tracking store and the screen. Pure functions; any thread.
namespace dailies::series {

/// Where a curve has no value: breaks its line.
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Point {
    double x = 0;
    double y = 0;
    bool operator==(const Point&) const = default;
};

/// Exponential moving average as TensorBoard draws it: debiased (the start is not pulled to zero), `weight`
/// from 0 (none) to below 1. Values that are not finite stay as they are and leave the average alone; a
/// constant series is returned as it is.
std::vector<double> smoothed(const std::vector<double>& values, double weight);

/// The same where each value is the mean of `counts` of them, as if all of these were equal: exact for single
/// values, and within the spread inside one segment of the pyramid otherwise.
std::vector<double> smoothed(const std::vector<double>& values, const std::vector<std::uint32_t>& counts,
                             double weight);

/// A value that no line can show, where it stands.
struct Mark {
    enum class Kind { Nan, PlusInfinity, MinusInfinity };
    double x = 0;
    Kind kind = Kind::Nan;
    bool operator==(const Mark&) const = default;
};

}  // namespace dailies::series
