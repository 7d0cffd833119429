#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dailies::tracking {

/// Names one curve: a metric of a run.
struct CurveKey {
    std::string runId;
    std::string key;
    auto operator<=>(const CurveKey&) const = default;
};

/// Both ends included.
struct StepRange {
    std::int64_t first = 0;
    std::int64_t last = 0;
};

/// A stretch of a curve between two of its points, both included. Points are ordered by step, then time, then
/// value. Values are those of the finite points, NaN when there is none.
struct CurveBucket {
    enum Mark : std::uint8_t { kNan = 1, kPlusInfinity = 2, kMinusInfinity = 4 };

    std::int64_t firstStep = 0, lastStep = 0;
    std::int64_t firstMs = 0, lastMs = 0;  ///< of the first and the last point, unix time
    double first = 0, last = 0;            ///< of the first and the last finite point
    double minimum = 0, maximum = 0, mean = 0;
    std::uint32_t count = 0;   ///< points
    std::uint32_t finite = 0;  ///< of them; what `mean` is the mean of
    std::uint8_t marks = 0;    ///< which values that are no numbers are among the points
};

/// A curve as far as a picture of it needs.
struct Curve {
    std::vector<CurveBucket> buckets;  ///< in order; together all the points asked for
    std::int64_t points = 0;           ///< in the whole curve
    bool exact = false;                ///< every bucket is one point
};

}  // namespace dailies::tracking
