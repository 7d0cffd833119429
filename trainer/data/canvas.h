#pragma once

#include "trainer/data/example.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace dailies::trainer {

/// A colour, 0 … 1.
struct Rgb {
    double r = 0, g = 0, b = 0;
};

/// Paints into a frame, antialiased over one pixel. Lengths are in pixels.
class Canvas {
public:
    Canvas(RgbClip& clip, int frame)
        : m_pixels(clip.frame(frame)), m_height(clip.height), m_width(clip.width) {}

    int height() const { return m_height; }
    int width() const { return m_width; }

    /// `inside(x, y)`: how far a place is within the outline, negative outside; called for places within
    /// `reach` of the box alone.
    template <class Inside>
    void paint(double left, double top, double right, double bottom, const Rgb& colour, Inside inside) {
        paintShaded(
            left, top, right, bottom, [&](double, double) { return colour; }, inside);
    }

    /// The same with `shade(x, y)`, the colour of each place.
    template <class Shade, class Inside>
    void paintShaded(double left, double top, double right, double bottom, Shade shade, Inside inside) {
        const auto from = [](double low) { return std::max(0, static_cast<int>(std::floor(low)) - 1); };
        const auto to = [](double high, int most) {
            return std::min(most, static_cast<int>(std::ceil(high)) + 1);
        };
        for (int y = from(top); y < to(bottom, m_height); ++y)
            for (int x = from(left); x < to(right, m_width); ++x) {
                const double covered = std::clamp(inside(x + 0.5, y + 0.5) + 0.5, 0.0, 1.0);
                if (covered > 0) blend(x, y, shade(x + 0.5, y + 0.5), covered);
            }
    }

    void disc(double x, double y, double radius, const Rgb& colour) {
        paint(x - radius, y - radius, x + radius, y + radius, colour,
              [&](double px, double py) { return radius - std::hypot(px - x, py - y); });
    }

    /// A line with round ends.
    void capsule(double x0, double y0, double x1, double y1, double radius, const Rgb& colour) {
        roundCapsule(x0, y0, x1, y1, radius, [&](double, double) { return colour; });
    }

    /// The same with `shade(x, y)`, the colour of a place that is so far from the line in each direction.
    template <class Shade>
    void roundCapsule(double x0, double y0, double x1, double y1, double radius, Shade shade) {
        const double dx = x1 - x0, dy = y1 - y0, square = std::max(dx * dx + dy * dy, 1e-12);
        const auto fromLine = [&](double px, double py) {
            const double t = std::clamp(((px - x0) * dx + (py - y0) * dy) / square, 0.0, 1.0);
            return std::pair(px - x0 - t * dx, py - y0 - t * dy);
        };
        paintShaded(
            std::min(x0, x1) - radius, std::min(y0, y1) - radius, std::max(x0, x1) + radius,
            std::max(y0, y1) + radius,
            [&](double px, double py) {
                const auto [x, y] = fromLine(px, py);
                return shade(x, y);
            },
            [&](double px, double py) {
                const auto [x, y] = fromLine(px, py);
                return radius - std::hypot(x, y);
            });
    }

    /// An ellipse from one point to another, `radius` at its widest.
    void ellipse(double x0, double y0, double x1, double y1, double radius, const Rgb& colour) {
        const double length = std::max(std::hypot(x1 - x0, y1 - y0), 1e-6), half = length / 2,
                     cosine = (x1 - x0) / length, sine = (y1 - y0) / length, cx = (x0 + x1) / 2,
                     cy = (y0 + y1) / 2;
        const double reach = std::max(half, radius);
        paint(cx - reach, cy - reach, cx + reach, cy + reach, colour, [&](double px, double py) {
            const double along = (px - cx) * cosine + (py - cy) * sine,
                         across = (py - cy) * cosine - (px - cx) * sine;
            return (1 - std::hypot(along / std::max(half, radius), across / radius)) * radius;
        });
    }

private:
    void blend(int x, int y, const Rgb& colour, double covered) {
        auto* pixel = m_pixels + (static_cast<std::size_t>(y) * static_cast<std::size_t>(m_width) +
                                  static_cast<std::size_t>(x)) *
                                     3;
        const double parts[] = {colour.r, colour.g, colour.b};
        for (std::size_t i = 0; i < 3; ++i)
            pixel[i] =
                static_cast<std::uint8_t>(std::lround(pixel[i] + covered * (255 * parts[i] - pixel[i])));
    }

    std::uint8_t* m_pixels;
    int m_height, m_width;
};

}  // namespace dailies::trainer
