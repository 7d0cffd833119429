#include "core/sweep/strategies/parzen_estimator.h"

#include "core/sweep/distribution.h"

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <numbers>

namespace dailies::sweep {

namespace {

/// What Optuna scales the normal reference rule's bandwidth with, for an interval of length 1.
constexpr double kBandwidth = 0.2;

/// The probability that a normal variable kept inside [0, 1] lies between two points.
double truncatedShare(double from, double to, double mu, double sigma) {
    const double inside = normalCdf((1 - mu) / sigma) - normalCdf((0 - mu) / sigma);
    return (normalCdf((to - mu) / sigma) - normalCdf((from - mu) / sigma)) / inside;
}

double truncatedDraw(double u, double mu, double sigma) {
    const double low = normalCdf((0 - mu) / sigma), high = normalCdf((1 - mu) / sigma);
    const double share = std::clamp(low + u * (high - low), 0x1p-53, 1 - 0x1p-53);
    const double at = mu - sigma * std::numbers::sqrt2 * boost::math::erfc_inv(2 * share);
    return std::clamp(at, 0.0, std::nextafter(1.0, 0.0));
}

std::size_t cellIndex(double u, std::size_t cells) {
    return std::min(static_cast<std::size_t>(u * static_cast<double>(cells)), cells - 1);
}

double middleOf(std::size_t cell, std::size_t cells) {
    return (static_cast<double>(cell) + 0.5) / static_cast<double>(cells);
}

}  // namespace

ParzenEstimator::ParzenEstimator(const std::vector<ParzenAxis>& axes, std::vector<UnitPoint> points,
                                 std::vector<double> weights)
    : m_axes(axes), m_points(std::move(points)), m_weights(std::move(weights)) {
    const auto count = static_cast<double>(std::max<std::size_t>(1, m_points.size()));
    const auto dims = static_cast<double>(axes.size());
    const double narrowest = 1.0 / std::min(100.0, 2 + static_cast<double>(m_points.size()));
    m_sigma = std::clamp(kBandwidth * std::pow(count, -1 / (dims + 4)), narrowest, 1.0);
    m_points.emplace_back(axes.size(), 0.5);
    m_weights.push_back(1);
    double sum = 0;
    for (const double weight : m_weights) sum += weight;
    for (double& weight : m_weights) weight /= sum;
}

UnitPoint ParzenEstimator::sample(SeededRng& random) const {
    double rest = random.unit();
    std::size_t kernel = 0;
    while (!isPrior(kernel) && rest >= m_weights[kernel]) rest -= m_weights[kernel++];
    UnitPoint point;
    for (std::size_t axis = 0; axis < m_axes.size(); ++axis) {
        const auto& [cells, unordered] = m_axes[axis];
        const double mu = m_points[kernel][axis], sigma = isPrior(kernel) ? 1 : m_sigma;
        const double u = random.unit();
        if (!unordered) {
            const double at = truncatedDraw(u, mu, sigma);
            point.push_back(cells == 0 ? at : middleOf(cellIndex(at, cells), cells));
            continue;
        }
        // the kernel's own value, or with the prior's share any of them
        const auto kernels = static_cast<double>(m_weights.size());
        const double own = isPrior(kernel) ? 0 : 1 / (1 + static_cast<double>(cells) / kernels);
        point.push_back(u < own ? mu : middleOf(cellIndex((u - own) / (1 - own), cells), cells));
    }
    return point;
}

double ParzenEstimator::logKernel(std::size_t kernel, std::size_t axis, double at) const {
    const auto& [cells, unordered] = m_axes[axis];
    const double mu = m_points[kernel][axis], sigma = isPrior(kernel) ? 1 : m_sigma;
    if (unordered) {
        const auto count = static_cast<double>(cells), kernels = static_cast<double>(m_weights.size());
        const double any = 1 / (kernels + count);  // (1/kernels) / (1 + count/kernels)
        const bool own = cellIndex(at, cells) == cellIndex(mu, cells);
        return std::log(isPrior(kernel) ? 1 / count : any + (own ? kernels / (kernels + count) : 0));
    }
    if (cells > 0) {
        const auto cell = static_cast<double>(cellIndex(at, cells)), count = static_cast<double>(cells);
        // far from the kernel's middle both ends of the stretch round to the same share
        return std::log(std::max(truncatedShare(cell / count, (cell + 1) / count, mu, sigma), 1e-300));
    }
    const double z = (at - mu) / sigma;
    const double inside = normalCdf((1 - mu) / sigma) - normalCdf((0 - mu) / sigma);
    return -0.5 * z * z - std::log(sigma * std::sqrt(2 * std::numbers::pi) * inside);
}

double ParzenEstimator::logDensity(const UnitPoint& point) const {
    std::vector<double> logs;
    for (std::size_t kernel = 0; kernel < m_weights.size(); ++kernel) {
        double sum = std::log(m_weights[kernel]);
        for (std::size_t axis = 0; axis < m_axes.size(); ++axis) sum += logKernel(kernel, axis, point[axis]);
        logs.push_back(sum);
    }
    const double largest = *std::ranges::max_element(logs);
    double sum = 0;
    for (const double value : logs) sum += std::exp(value - largest);
    return largest + std::log(sum);
}

}  // namespace dailies::sweep
