#pragma once

#include <cstddef>
#include <vector>

namespace dailies::analysis {

/// Spearman's rank correlation: −1 … 1, the direction and steadiness of a trend whatever its shape; the same
/// on linear and logarithmic axes. Ties share their mean rank (Kendall & Gibbons, Rank Correlation Methods,
/// 1990).
struct RankCorrelation {
    double rho = 0;      ///< NaN when fewer than three pairs are finite or one side does not vary
    std::size_t n = 0;   ///< pairs in which both are finite
    double error = 0;    ///< standard error of rho, (1 + ρ²/2) / (n − 3) under the root (Bonett & Wright,
                         ///< Psychometrika 65, 2000); NaN for n < 4
};

/// `x` and `y` are parallel.
RankCorrelation spearman(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace dailies::analysis
