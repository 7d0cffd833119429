#include "core/series/band.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dailies::series {

namespace {

/// The drawable points of a trace in the window, at the level that a picture of that many columns needs.
std::vector<Point> pointsOf(const Trace& trace, double left, double right, std::size_t columns) {
    std::vector<Point> points;
    trace.visit(trace.part(left, right, static_cast<double>(columns)), [&](const Segment& s) {
        if (s.drawable()) points.push_back({(s.x0 + s.x1) / 2, s.mean});
    });
    return points;
}

std::vector<double> gridOf(const std::vector<std::vector<Point>>& curves, double left, double right,
                           std::size_t atMost) {
    std::vector<double> grid;
    for (const auto& curve : curves)
        for (const auto& point : curve) grid.push_back(point.x);
    std::sort(grid.begin(), grid.end());
    grid.erase(std::unique(grid.begin(), grid.end()), grid.end());
    if (grid.size() <= atMost) return grid;
    const double first = std::max(left, grid.front());
    const double last = std::min(right, grid.back());
    grid.resize(atMost);
    for (std::size_t i = 0; i < atMost; ++i)
        grid[i] = first + (last - first) * static_cast<double>(i) / static_cast<double>(atMost - 1);
    return grid;
}

/// Mean and spread of the values at one x (Welford, so that large values lose no digits).
struct Moments {
    int count = 0;
    double mean = 0, squares = 0;
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();

    void add(double value) {
        ++count;
        const double off = value - mean;
        mean += off / count;
        squares += off * (value - mean);
        low = std::min(low, value);
        high = std::max(high, value);
    }
    double deviation() const { return count > 1 ? std::sqrt(squares / (count - 1)) : 0; }
};

}  // namespace

double studentT(int degrees) {
    if (degrees <= 1) return 12.706205;
    if (degrees == 2) return 4.302653;
    const double z = 1.959964;
    const double n = degrees;
    const double z2 = z * z;
    // Cornish and Fisher's expansion around the normal quantile.
    return z + z * (z2 + 1) / (4 * n) + z * ((5 * z2 + 16) * z2 + 3) / (96 * n * n) +
           z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / (384 * n * n * n) +
           z * ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / (92160 * n * n * n * n);
}

Band band(const std::vector<TracePtr>& traces, Spread spread, double left, double right, std::size_t atMost) {
    std::vector<std::vector<Point>> curves;
    for (const auto& trace : traces) {
        if (trace->empty()) continue;
        auto points = pointsOf(*trace, left, right, atMost);
        if (!points.empty()) curves.push_back(std::move(points));
    }
    Band result;
    result.x = gridOf(curves, left, right, std::max<std::size_t>(atMost, 2));
    std::vector<Moments> moments(result.x.size());
    for (const auto& curve : curves) {
        std::size_t next = 0;  // the first point at or after x
        for (std::size_t i = 0; i < result.x.size(); ++i) {
            const double x = result.x[i];
            while (next < curve.size() && curve[next].x < x) ++next;
            if (next == curve.size()) break;
            const Point& after = curve[next];
            if (after.x == x) {
                moments[i].add(after.y);
            } else if (next > 0) {
                const Point& before = curve[next - 1];
                moments[i].add(before.y + (after.y - before.y) * (x - before.x) / (after.x - before.x));
            }
        }
    }
    for (const Moments& at : moments) {
        result.runs.push_back(at.count);
        if (at.count == 0) {
            result.mean.push_back(kNan);
            result.low.push_back(kNan);
            result.high.push_back(kNan);
            continue;
        }
        double around = at.deviation();
        if (spread == Spread::Confidence) around *= studentT(at.count - 1) / std::sqrt(at.count);
        result.mean.push_back(at.mean);
        result.low.push_back(spread == Spread::Range ? at.low : at.mean - around);
        result.high.push_back(spread == Spread::Range ? at.high : at.mean + around);
    }
    return result;
}

}  // namespace dailies::series
