#pragma once

#include <cstddef>
#include <stop_token>
#include <vector>

namespace dailies::analysis {

struct SurfacePoint {
    double x = 0, y = 0;  ///< 0 … 1, along the axes as they are drawn
    double value = 0;
};

/// A value over the unit square, known only near points.
struct Surface {
    std::size_t columns = 0, rows = 0;
    std::vector<double>
        values;  ///< row by row from y = 0, at the centres of the cells; NaN: no point is near
    double bandwidthX = 0, bandwidthY = 0;  ///< one standard deviation of the kernel

    double at(std::size_t column, std::size_t row) const { return values[row * columns + column]; }
};

/// The mean of the points around each cell, weighted by a Gaussian of their distance (Nadaraya 1964, Watson
/// 1964), as wide as Scott's rule says (Multivariate Density Estimation, 1992). A mean, unlike a surface
/// through the points, is honest about runs that differ in more than x and y. Cells without half a point's
/// weight within reach are NaN: nothing was tried there. Points that are not finite are passed over. Throws
/// `Cancelled`.
Surface smoothedSurface(const std::vector<SurfacePoint>& points, std::size_t columns, std::size_t rows,
                        std::stop_token stop = {});

}  // namespace dailies::analysis
