#include "core/quality/frame_stats.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace dailies::quality {

namespace {

constexpr int kDarkLuma = 25;  ///< a tenth of the range
/// What is left of 255 and 0 after lossy coding.
constexpr int kUpperEnd = 250, kLowerEnd = 5;

constexpr int kCoarsestGrain = 16;
constexpr int kMinGrains = 8;           ///< along each side, for a correlation that means something
constexpr double kNoiseDeviation = 12;  ///< levels; less is film grain
constexpr double kNoiseCorrelation = 0.25;

struct Plane {
    int width = 0, height = 0;
    std::vector<float> values;
    const float* row(int y) const { return values.data() + static_cast<std::size_t>(width) * y; }
};

Plane planeOf(const Luma& luma) {
    return {luma.width, luma.height, {luma.values.begin(), luma.values.end()}};
}

Plane halved(const Plane& plane) {
    Plane half{plane.width / 2, plane.height / 2, {}};
    half.values.resize(static_cast<std::size_t>(half.width) * half.height);
    for (int y = 0; y < half.height; ++y) {
        const float *upper = plane.row(2 * y), *lower = plane.row(2 * y + 1);
        float* out = half.values.data() + static_cast<std::size_t>(half.width) * y;
        for (int x = 0; x < half.width; ++x)
            out[x] = (upper[2 * x] + upper[2 * x + 1] + lower[2 * x] + lower[2 * x + 1]) / 4;
    }
    return half;
}

double varianceOf(const Plane& plane) {
    double sum = 0, squares = 0;
    for (int y = 0; y < plane.height; ++y) {
        const float* row = plane.row(y);
        float rowSum = 0, rowSquares = 0;
        for (int x = 0; x < plane.width; ++x) {
            rowSum += row[x];
            rowSquares += row[x] * row[x];
        }
        sum += rowSum;
        squares += rowSquares;
    }
    const auto count = static_cast<double>(plane.values.size());
    return count > 0 ? std::max(squares / count - sum / count * (sum / count), 0.0) : 0;
}

double meanSquaredStep(const Plane& plane) {
    double sum = 0;
    for (int y = 0; y + 1 < plane.height; ++y) {
        const float *row = plane.row(y), *below = plane.row(y + 1);
        float rowSum = 0;
        for (int x = 0; x + 1 < plane.width; ++x) {
            const float across = row[x + 1] - row[x], down = below[x] - row[x];
            rowSum += across * across + down * down;
        }
        sum += rowSum;
    }
    return sum / (2.0 * (plane.width - 1) * (plane.height - 1));
}

}  // namespace

bool looksLikeNoise(const Luma& luma) {
    Plane plane = planeOf(luma);
    for (int grain = 1; grain <= kCoarsestGrain; grain *= 2) {
        if (plane.width < kMinGrains || plane.height < kMinGrains) return false;
        const double variance = varianceOf(plane);
        if (variance < kNoiseDeviation * kNoiseDeviation) return false;  // coarser grains vary less
        // For a stationary field: E[(next − this)²] = 2 variance (1 − correlation).
        if (1 - meanSquaredStep(plane) / (2 * variance) < kNoiseCorrelation) return true;
        plane = halved(plane);
    }
    return false;
}

FrameStats frameStats(const PictureView& picture, const Luma& luma) {
    std::uint64_t dark = 0, white = 0, vivid = 0, sum = 0, squares = 0;
    for (int y = 0; y < picture.height; ++y) {
        const std::uint32_t* pixels = picture.row(y);
        const std::uint8_t* bright = luma.row(y);
        std::uint32_t rowDark = 0, rowWhite = 0, rowVivid = 0, rowSum = 0, rowSquares = 0;
        for (int x = 0; x < picture.width; ++x) {
            const int red = redOf(pixels[x]), green = greenOf(pixels[x]), blue = blueOf(pixels[x]);
            const int least = std::min({red, green, blue}), greatest = std::max({red, green, blue});
            const auto level = static_cast<std::uint32_t>(bright[x]);
            rowDark += bright[x] <= kDarkLuma;
            rowWhite += least >= kUpperEnd;
            rowVivid += static_cast<std::uint32_t>(greatest >= kUpperEnd) & (least <= kLowerEnd);
            rowSum += level;
            rowSquares += level * level;
        }
        dark += rowDark;
        white += rowWhite;
        vivid += rowVivid;
        sum += rowSum;
        squares += rowSquares;
    }
    const double count = std::max(static_cast<double>(picture.width) * picture.height, 1.0);
    const double mean = static_cast<double>(sum) / count;
    return {.dark = static_cast<double>(dark) / count,
            .white = static_cast<double>(white) / count,
            .vivid = static_cast<double>(vivid) / count,
            .deviation = std::sqrt(std::max(static_cast<double>(squares) / count - mean * mean, 0.0)),
            .noise = looksLikeNoise(luma)};
}

}  // namespace dailies::quality
