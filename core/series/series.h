#pragma once

#include <cstdint>
#include <vector>

/// What a curve needs between the tracking store and the screen. Pure functions; any thread.
namespace dailies::series {

struct Point {
    double x = 0;
    double y = 0;
    bool operator==(const Point&) const = default;
};

/// Exponential moving average as TensorBoard draws it: debiased (the start is not pulled to zero), `weight`
/// from 0 (none) to below 1. Values that are not finite stay as they are and leave the average alone; a
/// constant series is returned as it is.
std::vector<double> smoothed(const std::vector<double>& values, double weight);

/// A value that no line can show, where it stands.
struct Mark {
    enum class Kind { Nan, PlusInfinity, MinusInfinity };
    double x = 0;
    Kind kind = Kind::Nan;
    bool operator==(const Mark&) const = default;
};

struct Decimated {
    std::vector<Point>
        line;  ///< finite points in the order of x: at most four a column and one beyond each edge
    std::vector<Mark> marks;  ///< non-finite points: at most one of each kind a column
};

/// The part of a curve between `left` and `right` for a plot that is `columns` pixels wide: of each pixel
/// column the first, lowest, highest and last point, so that the line drawn through them covers the same
/// pixels as one drawn through all (M4; Jugel, Jerzak, Hackenbroich, Markl, VLDB 2014). No extreme is ever
/// lost. The nearest point beyond each edge is kept for the line to leave the plot by. `points` are in the
/// order of x, which is finite; left < right and columns > 0, else nothing is returned.
Decimated decimated(const std::vector<Point>& points, double left, double right, int columns);

}  // namespace dailies::series
