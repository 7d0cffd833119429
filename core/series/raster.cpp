#include "core/series/raster.h"

#include <algorithm>
#include <cmath>
#include <future>
#include <limits>

namespace dailies::series {

namespace {

/// A trace is drawn from the pyramid's coarsest level that has this many segments a column: less than one,
/// because a stretch of a column and a third shows the same pixels, and sixfold fewer are read.
constexpr double kStretchesPerColumn = 0.75;
constexpr int kMargin = 4;  ///< columns beyond the edges, which thick lines reach over
constexpr float kFar =
    1e6f;  ///< pixels: what lies further out is cut there, so that floats stay exact enough
constexpr float kDotRadius = 1.6f;  ///< of an isolated point, in line widths

float cut(double pixels) {
    return static_cast<float>(std::clamp(pixels, static_cast<double>(-kFar), static_cast<double>(kFar)));
}

std::uint32_t premultiplied(Color color, float coverage) {
    const float alpha = color.opacity * coverage;
    const auto channel = [&](std::uint8_t value) {
        // By way of int, for which there is an instruction.
        return static_cast<std::uint32_t>(static_cast<int>(static_cast<float>(value) * alpha + 0.5f));
    };
    return channel(255) << 24 | channel(color.red) << 16 | channel(color.green) << 8 | channel(color.blue);
}

/// `source` over `below`, both premultiplied: two channels at once.
std::uint32_t over(std::uint32_t source, std::uint32_t below) {
    const std::uint32_t rest = 256 - (source >> 24);
    const std::uint32_t redBlue = ((below & 0x00ff00ffu) * rest >> 8) & 0x00ff00ffu;
    const std::uint32_t alphaGreen = ((below >> 8 & 0x00ff00ffu) * rest) & 0xff00ff00u;
    return source + (redBlue | alphaGreen);
}

}  // namespace

/// What a curve covers of one column. Pixels, y downwards.
struct Canvas::Span {
    float low = std::numeric_limits<float>::infinity();
    float high = -std::numeric_limits<float>::infinity();
    float in = 0, out = 0;  ///< where the curve enters and leaves the column
    bool dense = false;     ///< widened: a box, whatever its slope

    bool empty() const { return low > high; }
    void add(float a, float b) {
        if (empty()) in = a;
        out = b;
        low = std::min(low, std::min(a, b));
        high = std::max(high, std::max(a, b));
    }
    /// The curve only rises or only falls here: a straight piece.
    bool straight() const { return !dense && high - low <= std::abs(out - in) + 0.02f; }
};

Canvas::Canvas(const View& view, int begin, int end)
    : m_view(view),
      m_begin(begin),
      m_end(end),
      m_pixels(static_cast<std::size_t>(end - begin) * static_cast<std::size_t>(view.height), 0),
      m_spans(static_cast<std::size_t>(end - begin + 2 * kMargin)) {}

void Canvas::gather(const Trace& trace) {
    std::fill(m_spans.begin(), m_spans.end(), Span{});
    m_dots.clear();
    const int first = m_begin - kMargin;
    const int count = static_cast<int>(m_spans.size());
    const double perPixel = (m_view.right - m_view.left) / m_view.width;
    const double left = m_view.left + first * perPixel;
    const double right = m_view.left + (first + count) * perPixel;
    const auto part = trace.part(left, right, kStretchesPerColumn * count);

    const double xScale = 1 / perPixel;
    const double yScale = m_view.height / (m_view.top - m_view.bottom);
    const auto pixelX = [&](double x) { return (x - left) * xScale; };  // from the first span's edge
    const auto pixelY = [&](double y) { return cut((m_view.top - y) * yScale); };
    const auto columnOf = [&](double x) {
        return static_cast<int>(std::clamp(std::floor(x), -1.0, static_cast<double>(count)));
    };
    const auto add = [&](int column, float a, float b) {
        if (column >= 0 && column < count) m_spans[static_cast<std::size_t>(column)].add(a, b);
    };

    bool joined = false;  // the stretch before can be drawn
    bool lone = false;    // and is one point that nothing leads to
    double lastX = 0;
    float lastY = 0;
    const auto leave = [&] {
        if (lone) m_dots.push_back({lastX + first, lastY});
        joined = lone = false;
    };
    trace.visit(part, [&](const Segment& s) {
        if (!s.drawable()) {
            leave();
            return;
        }
        const double x0 = pixelX(s.x0);
        const double x1 = pixelX(s.x1);
        const float y0 = pixelY(s.first);
        const float y1 = pixelY(s.last);
        const int from = columnOf(lastX);
        const int to = columnOf(x0);
        if (!joined || from == to) {
            add(to, joined ? lastY : y0, y0);
        } else {
            // The segment from the stretch before, column by column.
            const double slope = (static_cast<double>(y0) - lastY) / (x0 - lastX);
            const auto yAt = [&](int edge) { return static_cast<float>(lastY + (edge - lastX) * slope); };
            add(from, lastY, yAt(from + 1));
            for (int c = std::max(from + 1, 0); c < std::min(to, count); ++c) add(c, yAt(c), yAt(c + 1));
            add(to, yAt(to), y0);
        }
        if (s.low < s.high || s.x0 < s.x1) {
            const float top = pixelY(s.high);
            const float bottom = pixelY(s.low);
            const int end = columnOf(x1);
            if (x1 - x0 < 2) {
                // Where between its ends the extremes lie is not known; the middle is at most a pixel off.
                const int middle = columnOf((x0 + x1) / 2);
                if (to != middle) add(middle, y0, y0);
                add(middle, bottom, top);
                add(end, y1, y1);
            } else {
                for (int c = std::max(to, 0); c <= std::min(end, count - 1); ++c) add(c, bottom, top);
                add(end, y1, y1);
            }
        }
        lone = !joined && s.x0 == s.x1;
        joined = true;
        lastX = x1;
        lastY = y1;
    });
    leave();
}

/// Where the curve turns within a column its span is one pixel wide; a thicker line needs more.
void Canvas::widen(int columns) {
    if (columns == 0) return;
    const std::vector<Span> spans = m_spans;
    const int count = static_cast<int>(spans.size());
    for (int c = 0; c < count; ++c) {
        const Span& turning = spans[static_cast<std::size_t>(c)];
        if (turning.empty() || turning.straight()) continue;
        for (int other = std::max(0, c - columns); other <= std::min(count - 1, c + columns); ++other) {
            Span& span = m_spans[static_cast<std::size_t>(other)];
            if (span.empty()) continue;
            span.low = std::min(span.low, turning.low);
            span.high = std::max(span.high, turning.high);
            span.dense = true;
        }
    }
}

void Canvas::line(const Trace& trace, const Stroke& stroke) {
    gather(trace);
    const float half = stroke.width / 2;
    widen(static_cast<int>(half));
    const int reach = std::min(kMargin, static_cast<int>(std::ceil(half)));
    const auto inPicture = [&](float y) { return y >= 0 && y <= static_cast<float>(m_view.height); };
    for (int c = m_begin; c < m_end; ++c) {
        const auto at = static_cast<std::size_t>(c - m_begin + kMargin);
        const Span& span = m_spans[at];
        if (span.empty()) continue;
        const bool leaves = span.low < 0 || span.high > static_cast<float>(m_view.height);
        Stroke ink = stroke;
        if (leaves) ink.color.opacity *= stroke.beyond;
        if (!span.straight() || span.high - span.low < 0.05f) {
            column(c, span.low - half, span.high + half, ink.color);
            // The line itself goes on below a spike.
            if (leaves && stroke.beyond < 1 && inPicture(span.in) && inPicture(span.out))
                column(c, std::min(span.in, span.out) - half, std::max(span.in, span.out) + half,
                       stroke.color);
            continue;
        }
        // A straight piece goes on into the columns beside, but not beyond where they turn.
        Span reachable = span;
        for (std::size_t other = at - static_cast<std::size_t>(reach);
             other <= at + static_cast<std::size_t>(reach); ++other) {
            reachable.low = std::min(reachable.low, m_spans[other].low);
            reachable.high = std::max(reachable.high, m_spans[other].high);
        }
        reachable.in = span.low;
        reachable.out = span.high;
        fill(c, reachable, ink);
    }
    for (const auto& [x, y] : m_dots) dot(x, y, stroke);
}

/// A straight piece from `in` to `out` across a column, cut to [low, high]: between two slanting edges.
void Canvas::fill(int column, const Span& span, const Stroke& stroke) {
    const float half = stroke.width / 2;
    const float slope = span.out - span.in;
    const float h = half * std::sqrt(1 + slope * slope);
    const float topFrom = span.in - h;
    const float topTo = span.out - h;
    const float bottomTo = span.out + h;
    const float cutTop = span.low - half;
    const float cutBottom = span.high + half;
    const auto height = static_cast<float>(m_view.height);
    const float from = std::max({topFrom, cutTop, 0.0f});
    const float to = std::min({bottomTo, cutBottom, height});
    if (from >= to) return;

    // Of a row the line covers what lies below its top edge less what lies below its bottom edge. An edge
    // rises like a ramp, so its integrals at the rows' borders give all rows at once. The loops are without
    // branches, for the compiler to take several rows in one instruction.
    const int begin = static_cast<int>(from);
    const int count = std::min(m_view.height, static_cast<int>(std::ceil(to))) - begin;
    const float rise = topTo - topFrom;
    const float halved = 0.5f / rise;
    const auto below = [&](float y) {
        const float t = std::min(std::max(y, 0.0f), rise);
        return t * t * halved + std::max(y - rise, 0.0f);
    };
    m_covered.resize(static_cast<std::size_t>(m_view.height) + 1);
    float* covered = m_covered.data();
    for (int i = 0; i <= count; ++i) {
        const float y = static_cast<float>(begin + i) - topFrom;
        covered[i] = below(y) - below(y - 2 * h);
    }
    std::uint32_t* pixels =
        m_pixels.data() +
        static_cast<std::size_t>(column - m_begin) * static_cast<std::size_t>(m_view.height) + begin;
    for (int i = 0; i < count; ++i) covered[i] = std::min(std::max(covered[i + 1] - covered[i], 0.0f), 1.0f);
    // Only the first and the last row can be cut.
    const auto cutRow = [&](int i) {
        const auto y = static_cast<float>(begin + i);
        const float inside = std::min(y + 1, cutBottom) - std::max(y, cutTop);
        covered[i] *= std::clamp(inside, 0.0f, 1.0f);
    };
    cutRow(0);
    if (count > 1) cutRow(count - 1);
    const Color color = stroke.color;
    for (int i = 0; i < count; ++i) pixels[i] = over(premultiplied(color, covered[i]), pixels[i]);
}

/// A box of one column from top to bottom.
void Canvas::column(int column, float top, float bottom, Color color) {
    const auto height = static_cast<float>(m_view.height);
    top = std::max(top, 0.0f);
    bottom = std::min(bottom, height);
    if (top >= bottom) return;
    std::uint32_t* pixels = m_pixels.data() + static_cast<std::size_t>(column - m_begin) *
                                                  static_cast<std::size_t>(m_view.height);
    const int first = static_cast<int>(top);
    const int last = std::min(static_cast<int>(bottom), m_view.height - 1);
    const auto blend = [&](int y, float coverage) {
        pixels[y] = over(premultiplied(color, coverage), pixels[y]);
    };
    if (first == last) {
        blend(first, bottom - top);
        return;
    }
    blend(first, static_cast<float>(first + 1) - top);
    const std::uint32_t full = premultiplied(color, 1);
    if (full >> 24 == 255)
        std::fill(pixels + first + 1, pixels + last, full);
    else
        for (int y = first + 1; y < last; ++y) pixels[y] = over(full, pixels[y]);
    blend(last, bottom - static_cast<float>(last));
}

void Canvas::dot(double x, double y, const Stroke& stroke) {
    const double radius = kDotRadius * stroke.width;
    const int from = std::max(m_begin, static_cast<int>(std::floor(x - radius)));
    const int to = std::min(m_end, static_cast<int>(std::ceil(x + radius)));
    for (int c = from; c < to; ++c) {
        const double off = c + 0.5 - x;
        if (std::abs(off) >= radius) continue;
        const double half = std::sqrt(radius * radius - off * off);
        column(c, static_cast<float>(y - half), static_cast<float>(y + half), stroke.color);
    }
}

void Canvas::area(std::span<const double> x, std::span<const double> low, std::span<const double> high,
                  Color color) {
    std::fill(m_spans.begin(), m_spans.end(), Span{});
    const int count = m_end - m_begin;
    const auto add = [&](int column, double a, double b) {
        if (column >= 0 && column < count) m_spans[static_cast<std::size_t>(column)].add(cut(a), cut(b));
    };
    for (std::size_t i = 0; i + 1 < x.size(); ++i) {
        if (std::isnan(low[i]) || std::isnan(low[i + 1])) continue;
        const double x0 = m_view.x(x[i]) - m_begin;
        const double x1 = m_view.x(x[i + 1]) - m_begin;
        const int from = std::max(0, static_cast<int>(std::floor(std::clamp(x0, -1.0, count + 1.0))));
        const int to = std::min(count - 1, static_cast<int>(std::floor(std::clamp(x1, -1.0, count + 1.0))));
        for (int c = from; c <= to; ++c) {
            const double middle = x1 > x0 ? std::clamp((c + 0.5 - x0) / (x1 - x0), 0.0, 1.0) : 0;
            const auto between = [&](double a, double b) { return m_view.y(a + (b - a) * middle); };
            add(c, between(high[i], high[i + 1]), between(low[i], low[i + 1]));
        }
    }
    for (int c = 0; c < count; ++c) {
        const Span& span = m_spans[static_cast<std::size_t>(c)];
        if (!span.empty()) column(m_begin + c, span.low, span.high, color);
    }
}

void Canvas::rectangle(double left, double top, double right, double bottom, Color color) {
    const int from = std::max(m_begin, static_cast<int>(std::lround(left)));
    const int to = std::min(m_end, std::max(from + 1, static_cast<int>(std::lround(right))));
    for (int c = from; c < to; ++c) column(c, static_cast<float>(top), static_cast<float>(bottom), color);
}

void Canvas::copyTo(std::uint32_t* picture, std::size_t stride) const {
    // In tiles, so that both the columns read and the rows written stay in the cache.
    constexpr int kTile = 16;
    const int width = m_end - m_begin;
    const auto height = static_cast<std::size_t>(m_view.height);
    for (int y0 = 0; y0 < m_view.height; y0 += kTile) {
        for (int x0 = 0; x0 < width; x0 += kTile) {
            const int y1 = std::min(y0 + kTile, m_view.height);
            const int x1 = std::min(x0 + kTile, width);
            for (int y = y0; y < y1; ++y) {
                std::uint32_t* row =
                    picture + static_cast<std::size_t>(y) * stride + static_cast<std::size_t>(m_begin);
                for (int x = x0; x < x1; ++x)
                    row[x] = m_pixels[static_cast<std::size_t>(x) * height + static_cast<std::size_t>(y)];
            }
        }
    }
}

void render(const View& view, int threads, const std::function<void(Canvas&)>& draw, std::uint32_t* picture,
            std::size_t stride) {
    const auto part = [&](int index) {
        Canvas canvas(view, view.width * index / threads, view.width * (index + 1) / threads);
        draw(canvas);
        canvas.copyTo(picture, stride);
    };
    std::vector<std::future<void>> others;
    for (int i = 1; i < threads; ++i) others.push_back(std::async(std::launch::async, part, i));
    part(0);
    for (auto& other : others) other.get();
}

}  // namespace dailies::series
