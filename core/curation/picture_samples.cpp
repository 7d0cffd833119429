#include "core/curation/picture_samples.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace dailies::curation {

namespace {

constexpr double kBarLuma = 10;
constexpr double kBrighter = 2;

struct Bars {
    int before = 0, behind = 0;
};

/// How many entries at either end of `means` are black, rounded up to even ones; none where they would leave
/// less than half.
Bars barsOf(const std::vector<double>& means) {
    const auto isPicture = [](double mean) { return mean > kBarLuma; };
    const auto first = std::ranges::find_if(means, isPicture);
    const auto last = std::find_if(means.rbegin(), means.rend(), isPicture);
    if (first == means.end()) return {};
    const auto even = [](std::ptrdiff_t n) { return static_cast<int>((n + 1) / 2 * 2); };
    const Bars bars{even(first - means.begin()), even(last - means.rbegin())};
    return 2 * (bars.before + bars.behind) > static_cast<int>(means.size()) ? Bars{} : bars;
}

double laplacianVariance(const std::uint8_t* luma, int width, const Box& box) {
    double sum = 0, squares = 0;
    std::int64_t count = 0;
    for (int y = box.y + 1; y + 1 < box.y + box.height; ++y) {
        const std::uint8_t* row = luma + static_cast<std::ptrdiff_t>(y) * width;
        std::int64_t ofRow = 0, squaresOfRow = 0;
        for (int x = box.x + 1; x + 1 < box.x + box.width; ++x) {
            const int value = 4 * row[x] - row[x - 1] - row[x + 1] - row[x - width] - row[x + width];
            ofRow += value;
            squaresOfRow += std::int64_t{value} * value;
        }
        sum += static_cast<double>(ofRow);
        squares += static_cast<double>(squaresOfRow);
        count += std::max(0, box.width - 2);
    }
    if (count == 0) return 0;
    const double mean = sum / static_cast<double>(count);
    return std::max(0.0, squares / static_cast<double>(count) - mean * mean);
}

bool isPlain(const std::vector<std::uint8_t>& luma) {
    double sum = 0, squares = 0;
    for (const int value : luma) {
        sum += value;
        squares += value * value;
    }
    const auto count = static_cast<double>(luma.size());
    return squares / count - sum / count * (sum / count) < kPlainDeviation * kPlainDeviation;
}

}  // namespace

Box pictureBox(const std::uint8_t* luma, int width, int height) {
    std::vector<double> rows(static_cast<std::size_t>(height)), columns(static_cast<std::size_t>(width));
    const auto row = [&](int y) { return luma + static_cast<std::ptrdiff_t>(y) * width; };
    for (int y = 0; y < height; ++y) {
        std::uint32_t sum = 0;
        for (int x = 0; x < width; ++x) sum += row(y)[x];
        rows[static_cast<std::size_t>(y)] = static_cast<double>(sum) / width;
    }
    const Bars upright = barsOf(rows);
    const int inside = height - upright.before - upright.behind;
    std::vector<std::uint32_t> sums(static_cast<std::size_t>(width));
    for (int y = upright.before; y < height - upright.behind; ++y)
        for (int x = 0; x < width; ++x) sums[static_cast<std::size_t>(x)] += row(y)[x];
    std::ranges::transform(sums, columns.begin(),
                           [&](auto sum) { return static_cast<double>(sum) / inside; });
    const Bars sideways = barsOf(columns);
    return {sideways.before, upright.before, width - sideways.before - sideways.behind, inside};
}

std::uint64_t differenceHash(const std::uint8_t* luma, int width, const Box& box) {
    constexpr int kColumns = 9, kRows = 8;
    std::uint64_t hash = 0;
    for (int row = 0; row < kRows; ++row) {
        const int top = box.y + row * box.height / kRows;
        const int bottom = std::max(box.y + (row + 1) * box.height / kRows, top + 1);
        std::array<double, kColumns> means{};
        for (int column = 0; column < kColumns; ++column) {
            const int left = box.x + column * box.width / kColumns;
            const int right = std::max(box.x + (column + 1) * box.width / kColumns, left + 1);
            std::uint64_t sum = 0;
            for (int y = top; y < bottom; ++y) {
                const std::uint8_t* line = luma + static_cast<std::ptrdiff_t>(y) * width;
                std::uint32_t part = 0;
                for (int x = left; x < right; ++x) part += line[x];
                sum += part;
            }
            means[static_cast<std::size_t>(column)] =
                static_cast<double>(sum) / (static_cast<double>(bottom - top) * (right - left));
        }
        for (std::size_t column = 0; column + 1 < kColumns; ++column)
            hash = hash << 1 | static_cast<std::uint64_t>(means[column + 1] > means[column] + kBrighter);
    }
    return hash;
}

PictureSample samplePicture(int frame, const Picture& picture) {
    std::vector<std::uint8_t> luma(picture.pixels());
    const std::uint8_t* rgb = picture.rgb;
    for (auto& value : luma) {
        value = lumaOf(rgb);
        rgb += 3;
    }
    PictureSample sample{.frame = frame, .box = {0, 0, picture.width, picture.height}};
    sample.plain = luma.empty() || isPlain(luma);
    if (!sample.plain) sample.box = pictureBox(luma.data(), picture.width, picture.height);
    sample.sharpness = std::round(100 * laplacianVariance(luma.data(), picture.width, sample.box)) / 100;
    return sample;
}

}  // namespace dailies::curation
