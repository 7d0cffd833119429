#include "core/series/series.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace dailies::series {

std::vector<double> smoothed(const std::vector<double>& values, double weight) {
    const bool constant =
        std::all_of(values.begin(), values.end(), [&](double value) { return value == values.front(); });
    if (weight <= 0 || constant) return values;
    std::vector<double> result;
    result.reserve(values.size());
    double average = 0;
    double missing = 1;  // weight to the power of the count: what the average still lacks of the whole
    for (const double value : values) {
        if (!std::isfinite(value)) {
            result.push_back(value);
            continue;
        }
        average = average * weight + (1 - weight) * value;
        missing *= weight;
        result.push_back(average / (1 - missing));
    }
    return result;
}

namespace {

/// Gathers the points of one pixel column.
class Column {
public:
    void add(const Point& point, Decimated& out) {
        if (!std::isfinite(point.y)) {
            mark(point, out);
        } else if (m_empty) {
            m_first = m_low = m_high = m_last = {&point, m_count};
            m_empty = false;
        } else {
            m_last = {&point, m_count};
            if (point.y < m_low.point->y) m_low = m_last;
            if (point.y > m_high.point->y) m_high = m_last;
        }
        ++m_count;
    }

    void finish(Decimated& out) {
        if (!m_empty) {
            std::array kept = {m_first, m_low, m_high, m_last};
            const auto earlier = [](const Place& a, const Place& b) { return a.order < b.order; };
            std::sort(kept.begin(), kept.end(), earlier);
            const Place* before = nullptr;
            for (const auto& place : kept) {
                if (!before || before->order != place.order) out.line.push_back(*place.point);
                before = &place;
            }
        }
        *this = {};
    }

private:
    struct Place {
        const Point* point = nullptr;
        std::size_t order = 0;
    };

    void mark(const Point& point, Decimated& out) {
        const auto kind = std::isnan(point.y) ? Mark::Kind::Nan
                          : point.y > 0       ? Mark::Kind::PlusInfinity
                                              : Mark::Kind::MinusInfinity;
        bool& marked = m_marked[static_cast<std::size_t>(kind)];
        if (!marked) out.marks.push_back({point.x, kind});
        marked = true;
    }

    bool m_empty = true;
    std::size_t m_count = 0;
    Place m_first, m_low, m_high, m_last;
    std::array<bool, 3> m_marked{};
};

}  // namespace

Decimated decimated(const std::vector<Point>& points, double left, double right, int columns) {
    Decimated out;
    if (!(left < right) || columns <= 0) return out;
    const auto begin = std::lower_bound(points.begin(), points.end(), left,
                                        [](const Point& point, double x) { return point.x < x; });
    const auto end = std::upper_bound(begin, points.end(), right,
                                      [](double x, const Point& point) { return x < point.x; });
    const auto finite = [](const Point& point) { return std::isfinite(point.y); };

    const auto before = std::find_if(std::make_reverse_iterator(begin), points.rend(), finite);
    if (before != points.rend()) out.line.push_back(*before);
    Column column;
    int current = 0;
    for (auto point = begin; point != end; ++point) {
        const int index =
            std::min(static_cast<int>((point->x - left) / (right - left) * columns), columns - 1);
        if (index != current) column.finish(out);
        current = index;
        column.add(*point, out);
    }
    column.finish(out);
    const auto after = std::find_if(end, points.end(), finite);
    if (after != points.end()) out.line.push_back(*after);
    return out;
}

}  // namespace dailies::series
