#pragma once

#include "core/quality/picture_view.h"

#include <cstdint>
#include <vector>

namespace dailies::quality {

/// What each channel adds to luma, in 65536ths; a grey pixel's luma is its grey, exactly.
struct LumaWeights {
    int red, green, blue;

    int of(std::uint32_t pixel) const {
        return (red * redOf(pixel) + green * greenOf(pixel) + blue * blueOf(pixel) + (1 << 15)) >> 16;
    }
};

/// BT.709 for high definition, BT.601 below it: the weights by which such a file was decoded
/// (core/video/color_matrix.h).
LumaWeights lumaWeights(int width, int height);

/// Brightness as video has it (R'G'B' weighted, full range 0–255), rows without padding.
struct Luma {
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> values;

    const std::uint8_t* row(int y) const { return values.data() + std::size_t(width) * y; }
};

Luma lumaOf(const PictureView& picture);

/// The means of 32 × 32 blocks, row by row; blocks at the right and bottom edge may be smaller.
struct LumaBlocks {
    static constexpr int kSide = 32;
    int columns = 0;
    int rows = 0;
    std::vector<float> means;
};

LumaBlocks blocksOf(const Luma& luma);

}  // namespace dailies::quality
