#include "core/series/trace.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dailies::series {

namespace {

/// Adds the segment that follows to what has been gathered; `weight` is how many the mean stands for.
void extend(Segment& all, double& weight, const Segment& next) {
    all.x1 = next.x1;
    if (!next.drawable()) return;
    if (!all.drawable()) {
        const double x0 = all.x0;
        all = next;
        all.x0 = x0;
        weight = 1;
        return;
    }
    all.last = next.last;
    all.low = std::min(all.low, next.low);
    all.high = std::max(all.high, next.high);
    weight += 1;
    all.mean += (next.mean - all.mean) / weight;
}

template <typename At>
std::vector<Segment> coarser(std::size_t count, std::size_t factor, At at) {
    std::vector<Segment> result;
    result.reserve((count + factor - 1) / factor);
    for (std::size_t i = 0; i < count; i += factor) {
        const Segment first = at(i);
        Segment all{first.x0, first.x0, kNan, kNan, kNan, kNan, kNan};
        double weight = 0;
        for (std::size_t j = i; j < std::min(count, i + factor); ++j) extend(all, weight, at(j));
        result.push_back(all);
    }
    return result;
}

}  // namespace

Trace::Trace(std::vector<Point> points) : m_points(std::move(points)) {
    for (auto& point : m_points)
        if (!std::isfinite(point.y)) point.y = kNan;
    buildLevels();
}

Trace::Trace(std::vector<Segment> segments) : m_exact(false) {
    m_levels.push_back(std::move(segments));
    buildLevels();
}

void Trace::buildLevels() {
    while (size(levels() - 1) > kFactor) {
        const std::size_t below = levels() - 1;
        m_levels.push_back(coarser(size(below), kFactor, [&](std::size_t i) { return at(below, i); }));
    }
}

std::size_t Trace::nearest(double x) const {
    std::size_t low = 0;
    std::size_t high = size();
    while (low < high) {
        const std::size_t middle = (low + high) / 2;
        if ((*this)[middle].x1 < x)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == size()) return size() - 1;
    if (low == 0) return 0;
    return x - (*this)[low - 1].x1 <= (*this)[low].x0 - x ? low - 1 : low;
}

Trace::Part Trace::part(double left, double right, double least) const {
    const auto partition = [](std::size_t count, auto before) {
        std::size_t low = 0;
        std::size_t high = count;
        while (low < high) {
            const std::size_t middle = (low + high) / 2;
            if (before(middle))
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    };
    const std::size_t begin = partition(size(), [&](std::size_t i) { return (*this)[i].x1 < left; });
    const std::size_t end = partition(size(), [&](std::size_t i) { return (*this)[i].x0 <= right; });
    Part part;
    std::size_t first = begin;
    std::size_t last = std::max(begin, end);
    while (part.level + 1 < levels() && static_cast<double>(last - first) / kFactor >= least) {
        ++part.level;
        first /= kFactor;
        last = (last + kFactor - 1) / kFactor;
    }
    part.begin = first > 0 ? first - 1 : 0;
    part.end = std::min(last + 1, size(part.level));
    return part;
}

template <typename Beyond>
std::size_t Trace::count(std::size_t level, std::size_t index, double left, double right,
                         Beyond beyond) const {
    const Segment segment = at(level, index);
    if (segment.x1 < left || segment.x0 > right || !beyond(segment)) return 0;
    if (level == 0) return 1;
    std::size_t found = 0;
    const std::size_t end = std::min((index + 1) * kFactor, size(level - 1));
    for (std::size_t i = index * kFactor; i < end; ++i) found += count(level - 1, i, left, right, beyond);
    return found;
}

std::size_t Trace::countAbove(double limit, double left, double right) const {
    std::size_t found = 0;
    for (std::size_t i = 0; i < size(levels() - 1); ++i)
        found += count(levels() - 1, i, left, right, [&](const Segment& s) { return s.high > limit; });
    return found;
}

std::size_t Trace::countBelow(double limit, double left, double right) const {
    std::size_t found = 0;
    for (std::size_t i = 0; i < size(levels() - 1); ++i)
        found += count(levels() - 1, i, left, right, [&](const Segment& s) { return s.low < limit; });
    return found;
}

std::size_t Trace::bytes() const {
    std::size_t total = sizeof(Trace) + m_points.capacity() * sizeof(Point);
    for (const auto& level : m_levels) total += level.capacity() * sizeof(Segment);
    return total;
}

}  // namespace dailies::series
