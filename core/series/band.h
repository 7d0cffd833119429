#pragma once

#include "core/series/trace.h"

#include <cstddef>
#include <vector>

namespace dailies::series {

/// How a group of curves spreads around its mean.
enum class Spread {
    Deviation,   ///< ± the sample's standard deviation
    Range,       ///< from the least to the greatest
    Confidence,  ///< the mean's 95 % confidence interval, by Student's t
};

/// Several curves as one. Parallel vectors; NaN where no curve has a value.
struct Band {
    std::vector<double> x, mean, low, high;
    std::vector<int> runs;  ///< how many curves reach over this x: the longer ones go on alone
};

/// The curves' mean and spread at the x of their points, or at `atMost` evenly spaced x where they have more
/// in [left, right]. A curve counts from its first to its last point, interpolated between its points, and
/// nowhere else: a curve that ended is not continued. One curve alone has no spread.
Band band(const std::vector<TracePtr>& traces, Spread spread, double left, double right, std::size_t atMost);

/// The 97.5 % quantile of Student's t (Hill, "Algorithm 396", CACM 1970, by its expansion; within 0.1 % from
/// three degrees on, exact below).
double studentT(int degreesOfFreedom);

}  // namespace dailies::series
