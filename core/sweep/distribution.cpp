#include "core/sweep/distribution.h"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numbers>

namespace dailies::sweep {

namespace {

using Kind = Parameter::Kind;

constexpr double kSlack = 1e-9;  ///< of factors of q: 0.3 / 0.1 is a little less than 3

double rounded(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value);
    return std::strtod(text, nullptr);
}

double normalQuantile(double u) {
    // the largest and smallest draws of 2^53, so that no draw is infinite
    const double inside = std::clamp(u, 0x1p-53, 1 - 0x1p-53);
    return -std::numbers::sqrt2 * boost::math::erfc_inv(2 * inside);
}

double betaQuantile(const Parameter& p, double u) {
    return boost::math::ibeta_inv(p.a, p.b, std::clamp(u, 0.0, 1.0));
}

std::size_t cellOf(double u, std::size_t cells) {
    const auto cell = static_cast<std::size_t>(std::max(u, 0.0) * static_cast<double>(cells));
    return std::min(cell, cells - 1);
}

/// Where the stretch of each value begins; the last number is where that of the last one ends, 1.
std::vector<double> stretches(const Parameter& p) {
    std::vector<double> edges = {0};
    for (std::size_t i = 0; i < p.values.size(); ++i)
        edges.push_back(edges.back() + (p.probabilities.empty() ? 1.0 : p.probabilities[i]));
    for (double& edge : edges) edge /= edges.back();
    return edges;
}

/// The multiples of q inside the range, as factors of q.
std::pair<double, double> multiples(const Parameter& p) {
    return {std::ceil(p.minimum / p.q - kSlack), std::floor(p.maximum / p.q + kSlack)};
}

double toMultiple(double value, double q) {
    return std::round(value / q) * q;
}

/// Where `value` lies between the ends of the range, on the scale of its distribution.
double share(const Parameter& p, double value) {
    switch (p.kind) {
        case Kind::Normal:
        case Kind::QNormal:
            return normalCdf((value - p.mu) / p.sigma);
        case Kind::LogNormal:
        case Kind::QLogNormal:
            return value > 0 ? normalCdf((std::log(value) - p.mu) / p.sigma) : 0;
        case Kind::Beta:
        case Kind::QBeta:
            return boost::math::ibeta(p.a, p.b, std::clamp(value, 0.0, 1.0));
        case Kind::LogUniform:
        case Kind::QLogUniform:
            if (p.minimum == p.maximum || value <= 0) return value > p.minimum ? 1 : 0;
            return std::log(value / p.minimum) / std::log(p.maximum / p.minimum);
        default:
            return p.minimum == p.maximum ? 0.5 : (value - p.minimum) / (p.maximum - p.minimum);
    }
}

}  // namespace

Json valueAt(const Parameter& p, double u) {
    const double low = p.minimum, high = p.maximum;
    switch (p.kind) {
        case Kind::Fixed:
            return p.values.front();
        case Kind::Values: {
            const auto edges = stretches(p);
            const auto after = std::upper_bound(edges.begin() + 1, edges.end() - 1, u);
            return p.values[static_cast<std::size_t>(after - edges.begin()) - 1];
        }
        case Kind::Uniform:
            return std::clamp(rounded(low + u * (high - low)), low, high);
        case Kind::LogUniform:
            return std::clamp(rounded(low * std::exp(u * std::log(high / low))), low, high);
        case Kind::IntUniform:
        case Kind::QUniform:
            return valueOf(p, cellOf(u, valueCount(p)));
        case Kind::QLogUniform: {
            const auto [first, last] = multiples(p);
            const double value = low * std::exp(u * std::log(high / low));
            return rounded(std::clamp(std::round(value / p.q), first, last) * p.q);
        }
        case Kind::Normal:
            return rounded(p.mu + p.sigma * normalQuantile(u));
        case Kind::LogNormal:
            return rounded(std::exp(p.mu + p.sigma * normalQuantile(u)));
        case Kind::QNormal:
            return rounded(toMultiple(p.mu + p.sigma * normalQuantile(u), p.q));
        case Kind::QLogNormal:
            return rounded(toMultiple(std::exp(p.mu + p.sigma * normalQuantile(u)), p.q));
        case Kind::Beta:
            return rounded(betaQuantile(p, u));
        case Kind::QBeta:
            return rounded(std::min(std::round(betaQuantile(p, u) / p.q), std::floor(1 / p.q + kSlack)) *
                           p.q);
    }
    return nullptr;
}

double unitOf(const Parameter& p, const Json& value) {
    if (p.kind == Kind::Fixed) return 0.5;
    const std::size_t cells = valueCount(p);
    const auto middle = [&](double cell) { return (cell + 0.5) / static_cast<double>(cells); };
    if (p.kind == Kind::Values) {
        const auto at = std::find(p.values.begin(), p.values.end(), value);
        const auto index = at == p.values.end() ? 0 : static_cast<std::size_t>(at - p.values.begin());
        const auto edges = stretches(p);
        return (edges[index] + edges[index + 1]) / 2;
    }
    if (!value.is_number()) return 0.5;
    const auto number = value.get<double>();
    const double last = static_cast<double>(cells) - 1;
    if (p.kind == Kind::IntUniform) return middle(std::clamp(number - p.minimum, 0.0, last));
    if (p.kind == Kind::QUniform)
        return middle(std::clamp(std::round(number / p.q) - multiples(p).first, 0.0, last));
    return std::clamp(share(p, number), 0.0, 1.0);
}

Json valueOf(const Parameter& p, std::size_t index) {
    if (p.kind == Kind::IntUniform)
        return static_cast<std::int64_t>(p.minimum) + static_cast<std::int64_t>(index);
    if (p.kind == Kind::QUniform) return rounded((multiples(p).first + static_cast<double>(index)) * p.q);
    return p.values[index];
}

std::size_t valueCount(const Parameter& p) {
    switch (p.kind) {
        case Kind::Fixed:
            return 1;
        case Kind::Values:
            return p.values.size();
        case Kind::IntUniform:
            return static_cast<std::size_t>(p.maximum - p.minimum) + 1;
        case Kind::QUniform: {
            const auto [first, last] = multiples(p);
            return static_cast<std::size_t>(std::max(0.0, last - first + 1));
        }
        default:
            return 0;
    }
}

bool isUnordered(const Parameter& p) {
    if (p.kind != Kind::Values) return false;
    return !std::all_of(p.values.begin(), p.values.end(), [](const Json& v) { return v.is_number(); });
}

double normalCdf(double z) {
    return 0.5 * std::erfc(-z / std::numbers::sqrt2);
}

}  // namespace dailies::sweep
