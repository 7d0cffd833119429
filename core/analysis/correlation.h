#pragma once

#include <cstddef>
#include <vector>

namespace dailies::analysis {

/// Spearman's rank correlation: −1 … 1, the direction and steadiness of a trend whatever its shape; the same
/// on linear and logarithmic axes. Ties share their mean rank (Kendall & Gibbons, Rank Correlation Methods,
/// 1990).
struct RankCorrelation {
    double rho = 0;     ///< NaN when fewer than three pairs are finite or one side does not vary
    std::size_t n = 0;  ///< pairs in which both are finite
    /// The 95 % confidence interval of rho, within −1 … 1: by Fisher's z (Metron 1, 1921) with the standard
    /// error √((1 + ρ²/2) / (n − 3)) that Bonett & Wright (Psychometrika 65, 2000) give it for ranks; NaN for
    /// n < 4.
    double low = 0, high = 0;
    /// Whether the interval leaves no doubt which way it goes.
    bool hasDirection() const { return low > 0 || high < 0; }
};

/// How much of the ranks of `y` the place on `x` explains, whatever the shape: the runs are cut into groups
/// of near x (categories are groups by themselves), and the share of the variance between the groups (η²) is
/// reduced by what chance gives (Fisher's adjustment). From about 0 to 1; 0 when there is nothing to tell.
/// Finds the optimum in the middle of a range, to which a rank correlation is blind.
double dependence(const std::vector<double>& x, bool categories, const std::vector<double>& y);

/// `x` and `y` are parallel.
RankCorrelation spearman(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace dailies::analysis
