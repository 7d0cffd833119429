#pragma once

#include "core/series/trace.h"

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

/// Curves to pixels. A column rasteriser: for each curve and pixel column the span of y that the curve covers
/// there, with antialiased ends, so that a frame costs by curves × columns whatever the number of points.
namespace dailies::series {

/// What a picture shows, in the units of its axes, and its size in pixels. left < right, bottom < top.
struct View {
    double left = 0, right = 1;
    double bottom = 0, top = 1;
    int width = 0, height = 0;

    double x(double value) const { return (value - left) / (right - left) * width; }
    double y(double value) const { return (top - value) / (top - bottom) * height; }
};

struct Color {
    std::uint8_t red = 0, green = 0, blue = 0;
    float opacity = 1;
};

struct Stroke {
    Color color;
    float width = 1.5f;  ///< pixels
    float beyond = 1;    ///< share of the opacity that a spike has which leaves the picture above or below
};

/// Some columns of a picture. Pixels are premultiplied ARGB and lie column by column, since that is how
/// curves are drawn; `copyTo` turns them.
class Canvas {
public:
    /// The columns [begin, end) of a picture of the view's size; transparent at first.
    Canvas(const View& view, int begin, int end);

    /// The curve as a line of even thickness: where it is dense the span of each column, where it is sparse
    /// the antialiased segments between its points. Isolated points become dots.
    void line(const Trace& trace, const Stroke& stroke);
    /// Everything between two lines over the same x, in their order.
    void area(std::span<const double> x, std::span<const double> low, std::span<const double> high,
              Color color);
    /// A rectangle in pixels, antialiased above and below.
    void rectangle(double left, double top, double right, double bottom, Color color);

    /// Writes the columns into a picture of the whole view's size, row by row; `stride` is in pixels.
    void copyTo(std::uint32_t* picture, std::size_t stride) const;

private:
    struct Span;
    void gather(const Trace& trace);
    void widen(int columns);
    void fill(int column, const Span& span, const Stroke& stroke);
    void column(int column, float top, float bottom, Color color);
    void dot(double x, double y, const Stroke& stroke);

    View m_view;
    int m_begin, m_end;
    std::vector<std::uint32_t> m_pixels;
    std::vector<Span> m_spans;  ///< of the curve being drawn, with kMargin columns more at each side
    std::vector<std::array<double, 2>> m_dots;
    std::vector<float> m_covered;  ///< of the piece being filled, above each row's border
};

/// Draws a picture with `threads` threads, each some of the columns, and writes it to `picture` (row by row,
/// `stride` pixels a row). `draw` is called at once on several threads.
void render(const View& view, int threads, const std::function<void(Canvas&)>& draw, std::uint32_t* picture,
            std::size_t stride);

}  // namespace dailies::series
