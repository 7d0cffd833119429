#include "core/quality/similarity.h"

#include "core/base/error.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace dailies::quality {

namespace {

constexpr int kWindow = 11;
constexpr int kReach = kWindow / 2;
constexpr double kSigma = 1.5;
constexpr float kC1 = 0.01f * 0.01f * 255 * 255;
constexpr float kC2 = 0.03f * 0.03f * 255 * 255;
/// Variances do not change when all values do by as much, and squares of smaller numbers lose less in floats.
constexpr float kMiddle = 128;

std::array<float, kWindow> gaussian() {
    std::array<double, kWindow> weights{};
    double sum = 0;
    for (int i = 0; i < kWindow; ++i) {
        weights[i] = std::exp(-0.5 * (i - kReach) * (i - kReach) / (kSigma * kSigma));
        sum += weights[i];
    }
    std::array<float, kWindow> normalised{};
    for (int i = 0; i < kWindow; ++i) normalised[i] = static_cast<float>(weights[i] / sum);
    return normalised;
}

/// A row of the window's sums: of both pictures, of their squares together, and of their product.
struct Sums {
    std::vector<float> x, y, squares, product;

    explicit Sums(std::size_t width) : x(width), y(width), squares(width), product(width) {}
};

void takeRow(const std::uint8_t* a, const std::uint8_t* b, Sums& row) {
    for (std::size_t i = 0; i < row.x.size(); ++i) {
        const float x = static_cast<float>(a[i]) - kMiddle, y = static_cast<float>(b[i]) - kMiddle;
        row.x[i] = x;
        row.y[i] = y;
        row.squares[i] = x * x + y * y;
        row.product[i] = x * y;
    }
}

/// The window's weights are symmetric, so that each pair of them is one multiplication.
void weigh(const std::vector<float>& from, std::vector<float>& to,
           const std::array<float, kWindow>& weights) {
    const std::size_t count = from.size() - 2 * kReach;
    const float* in = from.data() + kReach;
    float* out = to.data();
    for (std::size_t i = 0; i < count; ++i) {
        float sum = weights[kReach] * in[i];
        for (int k = 1; k <= kReach; ++k)
            sum += weights[kReach + k] * (in[static_cast<std::ptrdiff_t>(i) - k] + in[i + k]);
        out[i] = sum;
    }
}

using Ring = std::vector<Sums>;  ///< of the last rows, weighted along themselves

void weighDown(const Ring& ring, int firstRow, std::vector<float> Sums::*part, std::vector<float>& out,
               const std::array<float, kWindow>& weights) {
    std::array<const float*, kWindow> rows{};
    for (int k = 0; k < kWindow; ++k)
        rows[k] = (ring[static_cast<std::size_t>((firstRow + k) % kWindow)].*part).data();
    for (std::size_t i = 0; i < out.size(); ++i) {
        float sum = weights[kReach] * rows[kReach][i];
        for (int k = 1; k <= kReach; ++k)
            sum += weights[kReach + k] * (rows[kReach - k][i] + rows[kReach + k][i]);
        out[i] = sum;
    }
}

double sumOfRow(const Sums& mean) {
    float sum = 0;
    for (std::size_t i = 0; i < mean.x.size(); ++i) {
        const float x = mean.x[i], y = mean.y[i];
        const float meanX = x + kMiddle, meanY = y + kMiddle;
        const float variances = mean.squares[i] - x * x - y * y;
        const float covariance = mean.product[i] - x * y;
        sum += (2 * meanX * meanY + kC1) * (2 * covariance + kC2) /
               ((meanX * meanX + meanY * meanY + kC1) * (variances + kC2));
    }
    return sum;
}

[[noreturn]] void refuseSizes(int width, int height, int otherWidth, int otherHeight) {
    throw Error("Pictures of " + std::to_string(width) + "×" + std::to_string(height) + " and " +
                    std::to_string(otherWidth) + "×" + std::to_string(otherHeight) + " cannot be compared.",
                "Compare clips of one size.");
}

}  // namespace

double psnr(const PictureView& reference, const PictureView& picture) {
    if (!reference.hasSizeOf(picture))
        refuseSizes(reference.width, reference.height, picture.width, picture.height);
    std::uint64_t squares = 0;
    for (int y = 0; y < picture.height; ++y) {
        const std::uint32_t *a = reference.row(y), *b = picture.row(y);
        std::uint32_t sum = 0;  // of a row: holds 22,000 pixels
        for (int x = 0; x < picture.width; ++x) {
            const int red = redOf(a[x]) - redOf(b[x]), green = greenOf(a[x]) - greenOf(b[x]),
                      blue = blueOf(a[x]) - blueOf(b[x]);
            sum += static_cast<std::uint32_t>(red * red + green * green + blue * blue);
        }
        squares += sum;
    }
    if (squares == 0) return std::numeric_limits<double>::infinity();
    const double mean = static_cast<double>(squares) / (3.0 * picture.width * picture.height);
    return 10 * std::log10(255.0 * 255.0 / mean);
}

double ssim(const Luma& reference, const Luma& picture) {
    if (reference.width != picture.width || reference.height != picture.height)
        refuseSizes(reference.width, reference.height, picture.width, picture.height);
    if (picture.width < kWindow || picture.height < kWindow) return std::numeric_limits<double>::quiet_NaN();
    static const std::array<float, kWindow> kWeights = gaussian();
    const auto width = static_cast<std::size_t>(picture.width);
    const std::size_t windows = width - 2 * kReach;
    Sums row(width), means(windows);
    Ring ring(kWindow, Sums(windows));
    double sum = 0;
    for (int y = 0; y < picture.height; ++y) {
        takeRow(reference.row(y), picture.row(y), row);
        Sums& weighted = ring[static_cast<std::size_t>(y % kWindow)];
        for (const auto part : {&Sums::x, &Sums::y, &Sums::squares, &Sums::product})
            weigh(row.*part, weighted.*part, kWeights);
        if (y + 1 < kWindow) continue;
        for (const auto part : {&Sums::x, &Sums::y, &Sums::squares, &Sums::product})
            weighDown(ring, y + 1 - kWindow, part, means.*part, kWeights);
        sum += sumOfRow(means);
    }
    return sum / (static_cast<double>(windows) * (picture.height - 2 * kReach));
}

}  // namespace dailies::quality
