#pragma once

#include <cstddef>
#include <cstdint>

namespace dailies::quality {

/// A picture to look at, not owned: native-endian words 0xffRRGGBB, as `video::PixelBuffer::Layout::Rgb32`
/// and QImage::Format_RGB32 have them. Rows may be padded.
struct PictureView {
    const std::uint32_t* pixels = nullptr;
    int width = 0;
    int height = 0;
    std::ptrdiff_t rowPixels = 0;  ///< from the beginning of one row to that of the next

    const std::uint32_t* row(int y) const { return pixels + rowPixels * y; }
    bool hasSizeOf(const PictureView& other) const { return width == other.width && height == other.height; }
};

inline int redOf(std::uint32_t pixel) {
    return static_cast<int>(pixel >> 16 & 0xff);
}
inline int greenOf(std::uint32_t pixel) {
    return static_cast<int>(pixel >> 8 & 0xff);
}
inline int blueOf(std::uint32_t pixel) {
    return static_cast<int>(pixel & 0xff);
}

}  // namespace dailies::quality
