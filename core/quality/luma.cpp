#include "core/quality/luma.h"

#include "core/video/color_matrix.h"

#include <algorithm>

namespace dailies::quality {

LumaWeights lumaWeights(int width, int height) {
    return video::usesBt709(width, height) ? LumaWeights{13933, 46871, 4732}
                                           : LumaWeights{19595, 38470, 7471};
}

Luma lumaOf(const PictureView& picture) {
    Luma luma{picture.width, picture.height, {}};
    luma.values.resize(std::size_t(picture.width) * picture.height);
    const LumaWeights weights = lumaWeights(picture.width, picture.height);
    std::uint8_t* out = luma.values.data();
    for (int y = 0; y < picture.height; ++y, out += picture.width) {
        const std::uint32_t* row = picture.row(y);
        for (int x = 0; x < picture.width; ++x) out[x] = static_cast<std::uint8_t>(weights.of(row[x]));
    }
    return luma;
}

LumaBlocks blocksOf(const Luma& luma) {
    constexpr int kSide = LumaBlocks::kSide;
    LumaBlocks blocks{(luma.width + kSide - 1) / kSide, (luma.height + kSide - 1) / kSide, {}};
    blocks.means.reserve(std::size_t(blocks.columns) * blocks.rows);
    std::vector<int> columnSums(static_cast<std::size_t>(luma.width));
    for (int top = 0; top < luma.height; top += kSide) {
        const int bottom = std::min(top + kSide, luma.height);
        std::fill(columnSums.begin(), columnSums.end(), 0);
        for (int y = top; y < bottom; ++y) {
            const std::uint8_t* row = luma.row(y);
            for (int x = 0; x < luma.width; ++x) columnSums[static_cast<std::size_t>(x)] += row[x];
        }
        for (int left = 0; left < luma.width; left += kSide) {
            const int right = std::min(left + kSide, luma.width);
            int sum = 0;
            for (int x = left; x < right; ++x) sum += columnSums[static_cast<std::size_t>(x)];
            blocks.means.push_back(static_cast<float>(sum) /
                                   static_cast<float>((bottom - top) * (right - left)));
        }
    }
    return blocks;
}

}  // namespace dailies::quality
