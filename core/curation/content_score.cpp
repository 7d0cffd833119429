#include "core/curation/content_score.h"

#include <algorithm>
#include <array>

namespace dailies::curation {

namespace {

constexpr int kShift = 12;
constexpr int kHalf = 1 << (kShift - 1);

/// Reciprocals in fixed point: [i] is `scale` / i, rounded; 0 for 0.
std::array<int, 256> reciprocals(double scale) {
    std::array<int, 256> table{};
    for (int i = 1; i < 256; ++i)
        table[static_cast<std::size_t>(i)] = static_cast<int>(scale * (1 << kShift) / i + 0.5);
    return table;
}

}  // namespace

void HsvPlanes::assign(const Picture& picture) {
    static const auto ofValue = reciprocals(255), ofChroma = reciprocals(180 / 6.0);
    const std::size_t count = picture.pixels();
    values.resize(3 * count);
    std::uint8_t *hue = values.data(), *saturation = hue + count, *value = saturation + count;
    const std::uint8_t* rgb = picture.rgb;
    for (std::size_t i = 0; i < count; ++i, rgb += 3) {
        const int r = rgb[0], g = rgb[1], b = rgb[2];
        const int brightest = std::max({r, g, b});
        const int chroma = brightest - std::min({r, g, b});
        const int sector = brightest == r ? g - b : brightest == g ? b - r + 2 * chroma : r - g + 4 * chroma;
        const int angle = (sector * ofChroma[static_cast<std::size_t>(chroma)] + kHalf) >> kShift;
        hue[i] = static_cast<std::uint8_t>(angle < 0 ? angle + 180 : angle);
        saturation[i] = static_cast<std::uint8_t>(
            (chroma * ofValue[static_cast<std::size_t>(brightest)] + kHalf) >> kShift);
        value[i] = static_cast<std::uint8_t>(brightest);
    }
}

double contentScore(const HsvPlanes& before, const HsvPlanes& now) {
    if (now.values.empty()) return 0;
    return static_cast<double>(
               absoluteDifference(before.values.data(), now.values.data(), now.values.size())) /
           static_cast<double>(now.values.size());
}

}  // namespace dailies::curation
