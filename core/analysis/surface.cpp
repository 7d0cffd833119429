#include "core/analysis/surface.h"

#include "core/base/error.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dailies::analysis {

namespace {

constexpr double kNarrowest = 0.04;  ///< of the axis: narrower than that is noise to the eye
constexpr double kWidest = 0.15;     ///< wider would claim to know what nobody tried
constexpr double kReach = 3;         ///< bandwidths beyond which a point does not count
constexpr double kMinWeight = 0.5;

double bandwidth(const std::vector<SurfacePoint>& points, double SurfacePoint::*coordinate) {
    const auto n = static_cast<double>(points.size());
    double mean = 0, squares = 0;
    for (const auto& point : points) {
        mean += point.*coordinate / n;
    }
    for (const auto& point : points) {
        squares += (point.*coordinate - mean) * (point.*coordinate - mean) / n;
    }
    return std::clamp(std::sqrt(squares) * std::pow(n, -1.0 / 6), kNarrowest, kWidest);
}

}  // namespace

Surface smoothedSurface(const std::vector<SurfacePoint>& points, std::size_t columns, std::size_t rows,
                        std::stop_token stop) {
    std::vector<SurfacePoint> finite;
    std::copy_if(points.begin(), points.end(), std::back_inserter(finite), [](const auto& p) {
        return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.value);
    });
    Surface surface{.columns = columns, .rows = rows, .values = {}};
    surface.values.assign(columns * rows, std::numeric_limits<double>::quiet_NaN());
    if (finite.empty() || surface.values.empty()) {
        return surface;
    }
    surface.bandwidthX = bandwidth(finite, &SurfacePoint::x);
    surface.bandwidthY = bandwidth(finite, &SurfacePoint::y);

    std::vector<double> sums(columns * rows, 0), weights(columns * rows, 0);
    std::vector<double> across(columns);
    for (const auto& point : finite) {
        if (stop.stop_requested()) {
            throw Cancelled();
        }
        // The kernel is a product, so that a point costs one exponential a column and one a row.
        const auto cells = [](double centre, double reach, std::size_t count) {
            const auto n = static_cast<double>(count);
            return std::pair{static_cast<std::size_t>(std::clamp((centre - reach) * n, 0.0, n)),
                             static_cast<std::size_t>(std::clamp((centre + reach) * n + 1, 0.0, n))};
        };
        const auto weight = [](double cell, std::size_t count, double centre, double width) {
            const double distance = ((cell + 0.5) / static_cast<double>(count) - centre) / width;
            return std::exp(-0.5 * distance * distance);
        };
        const auto [left, right] = cells(point.x, kReach * surface.bandwidthX, columns);
        const auto [low, high] = cells(point.y, kReach * surface.bandwidthY, rows);
        for (std::size_t i = left; i < right; ++i) {
            across[i] = weight(static_cast<double>(i), columns, point.x, surface.bandwidthX);
        }
        for (std::size_t j = low; j < high; ++j) {
            const double up = weight(static_cast<double>(j), rows, point.y, surface.bandwidthY);
            for (std::size_t i = left; i < right; ++i) {
                sums[j * columns + i] += across[i] * up * point.value;
                weights[j * columns + i] += across[i] * up;
            }
        }
    }
    for (std::size_t cell = 0; cell < sums.size(); ++cell) {
        if (weights[cell] >= kMinWeight) {
            surface.values[cell] = sums[cell] / weights[cell];
        }
    }
    return surface;
}

}  // namespace dailies::analysis
