#pragma once

#include "core/quality/picture_view.h"
#include "core/video/clip_file.h"

#include <cstdint>
#include <vector>

namespace dailies::quality {

/// A picture that a test owns.
struct PaintedPicture {
    int width = 0, height = 0;
    std::vector<std::uint32_t> pixels;

    PictureView view() const { return {pixels.data(), width, height, width}; }
};

inline std::uint32_t rgb(int red, int green, int blue) {
    return 0xff000000u | static_cast<std::uint32_t>(red << 16 | green << 8 | blue);
}
inline std::uint32_t grey(int level) {
    return rgb(level, level, level);
}

/// A picture whose pixels are `colour(x, y)`.
template <typename Colour>
PaintedPicture painted(int width, int height, Colour colour) {
    PaintedPicture picture{width, height, {}};
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) picture.pixels.push_back(colour(x, y));
    return picture;
}

/// A number in [0, 1) that depends on nothing but its arguments.
inline double hashed(std::uint32_t a, std::uint32_t b, std::uint32_t c = 0) {
    std::uint32_t h = a * 0x9e3779b1u ^ b * 0x85ebca77u ^ c * 0xc2b2ae3du;
    h = (h ^ h >> 15) * 0x2c1b3c6du;
    h = (h ^ h >> 12) * 0x297a2d39u;
    return (h ^ h >> 15) / 4294967296.0;
}

inline video::Frame frameOf(const PaintedPicture& picture) {
    video::Frame frame{picture.width, picture.height, {}};
    for (const std::uint32_t pixel : picture.pixels)
        for (const int shift : {16, 8, 0}) frame.rgb.push_back(static_cast<std::uint8_t>(pixel >> shift));
    return frame;
}

inline PaintedPicture pictureOf(const video::Frame& frame, int scale = 1) {
    return painted(frame.width * scale, frame.height * scale, [&](int x, int y) {
        const auto* pixel = &frame.rgb[3 * (static_cast<std::size_t>(y / scale) * frame.width + x / scale)];
        return rgb(pixel[0], pixel[1], pixel[2]);
    });
}

}  // namespace dailies::quality
