#pragma once

#include "core/series/series.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace dailies::series {

/// A stretch of a curve in the units of its axes (logarithms on a logarithmic axis): between x0 and x1 the
/// value went from `first` to `last` and reached `low` and `high`. One point has x0 == x1 and one value. A
/// segment without any value to draw is NaN and breaks the line.
struct Segment {
    double x0 = 0, x1 = 0;
    double first = 0, last = 0;
    double low = 0, high = 0;
    double mean = 0;

    static Segment at(const Point& point) {
        return {point.x, point.x, point.y, point.y, point.y, point.y, point.y};
    }
    bool drawable() const { return low <= high; }  ///< false for NaN
};

/// A curve made ready for drawing: its points or segments in the order of x, and above them a pyramid of
/// least and greatest values in which eight become one, so that the cost of a picture follows its width and
/// not the number of points, and no extreme is lost. Never changed once made: any thread may read it.
class Trace {
public:
    /// `points` are in the order of x; a y that is not finite breaks the line.
    explicit Trace(std::vector<Point> points);
    explicit Trace(std::vector<Segment> segments);

    std::size_t size() const { return m_exact ? m_points.size() : m_levels.front().size(); }
    bool empty() const { return size() == 0; }
    bool exact() const { return m_exact; }  ///< every segment is one point
    Segment operator[](std::size_t index) const { return at(0, index); }

    /// The segment nearest to x; the trace must not be empty.
    std::size_t nearest(double x) const;

    /// Which segments a picture of [left, right] needs: those of the coarsest level that still has at least
    /// `least` of them there, with one more at each side for the line to leave the plot by.
    struct Part {
        std::size_t level = 0;
        std::size_t begin = 0, end = 0;
    };
    Part part(double left, double right, double least) const;
    Segment at(std::size_t level, std::size_t index) const {
        return level == 0 && m_exact ? Segment::at(m_points[index]) : m_levels[levelAt(level)][index];
    }
    std::size_t size(std::size_t level) const {
        return level == 0 && m_exact ? m_points.size() : m_levels[levelAt(level)].size();
    }

    /// Calls visit(const Segment&) for each segment of the part.
    template <typename Visit>
    void visit(const Part& range, Visit&& visit) const {
        if (range.level == 0 && m_exact) {
            for (std::size_t i = range.begin; i < range.end; ++i) visit(Segment::at(m_points[i]));
        } else {
            const auto& level = m_levels[levelAt(range.level)];
            for (std::size_t i = range.begin; i < range.end; ++i) visit(level[i]);
        }
    }

    /// How many segments between left and right reach above (or below) the limit: what a cut axis leaves
    /// out. Walks down the pyramid, so it costs by what it finds.
    std::size_t countAbove(double limit, double left, double right) const;
    std::size_t countBelow(double limit, double left, double right) const;

    std::size_t bytes() const;  ///< of memory

private:
    static constexpr std::size_t kFactor = 8;

    std::size_t levelAt(std::size_t level) const { return m_exact ? level - 1 : level; }
    std::size_t levels() const { return m_levels.size() + (m_exact ? 1 : 0); }
    void buildLevels();
    template <typename Beyond>
    std::size_t count(std::size_t level, std::size_t index, double left, double right, Beyond beyond) const;

    bool m_exact = true;
    std::vector<Point> m_points;                 ///< level 0 when exact
    std::vector<std::vector<Segment>> m_levels;  ///< from level 1 when exact, else from level 0
};
using TracePtr = std::shared_ptr<const Trace>;

}  // namespace dailies::series
