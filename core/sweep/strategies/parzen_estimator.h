#pragma once

#include "core/sweep/seeded_rng.h"

#include <cstddef>
#include <vector>

namespace dailies::sweep {

/// One dimension of the unit cube as a density estimator needs to know it.
struct ParzenAxis {
    std::size_t cells =
        0;  ///< values of a discrete parameter, equal stretches of the interval; 0: a continuum
    bool unordered = false;  ///< its values have no distances
};

using UnitPoint = std::vector<double>;

/// A mixture of one kernel for each observation and a broad one, the prior: a density over the unit cube. All
/// dimensions of a kernel are drawn together, so that parameters which matter only in combination are found
/// (multivariate TPE: Falkner, Klein, Hutter 2018, §4.1; bandwidths as in Optuna's TPESampler).
class ParzenEstimator {
public:
    /// `weights`: of the points, positive; the prior's is 1.
    ParzenEstimator(const std::vector<ParzenAxis>& axes, std::vector<UnitPoint> points,
                    std::vector<double> weights);

    UnitPoint sample(SeededRng& random) const;
    double logDensity(const UnitPoint& point) const;

private:
    double logKernel(std::size_t kernel, std::size_t axis, double at) const;
    bool isPrior(std::size_t kernel) const { return kernel + 1 == m_weights.size(); }

    const std::vector<ParzenAxis>& m_axes;
    std::vector<UnitPoint> m_points;  ///< the last is the prior's
    std::vector<double> m_weights;    ///< add up to 1
    double m_sigma = 1;               ///< of the points' kernels; the prior's is 1
};

}  // namespace dailies::sweep
