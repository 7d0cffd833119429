#pragma once

#include <cstdint>

namespace dailies::tracking {

struct MetricPoint {
    std::int64_t step = 0;
    std::int64_t timestampMs = 0;
    double value = 0;  ///< may be NaN or ±infinity
    bool operator==(const MetricPoint&) const = default;
};

}  // namespace dailies::tracking
