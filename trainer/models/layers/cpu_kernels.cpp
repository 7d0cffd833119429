#include "trainer/models/layers/cpu_kernels.h"

#include <algorithm>
#include <cmath>
#include <vector>

// one binary for every x86: the loader picks the widest vectors that the machine has; sanitizers are not
// ready yet when it does
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define DAILIES_WIDEST_VECTORS \
    __attribute__((target_clones("arch=skylake-avx512", "arch=haswell", "default")))
#else
#define DAILIES_WIDEST_VECTORS
#endif

namespace dailies::trainer::layers::cpu {

namespace {

constexpr int kLanes = 16;  // partial sums that the compiler keeps in vectors: it may not reorder a plain sum

inline float total(const float (&lanes)[kLanes]) {
    float sum = 0;
    for (const float lane : lanes) sum += lane;
    return sum;
}

/// Σ f(i) over 0 … n - 1.
template <class F>
inline __attribute__((always_inline)) float sumOver(std::int64_t n, const F& f) {
    float lanes[kLanes] = {};
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes)
        for (int lane = 0; lane < kLanes; ++lane) lanes[lane] += f(i + lane);
    float rest = 0;
    for (; i < n; ++i) rest += f(i);
    return total(lanes) + rest;
}

}  // namespace

DAILIES_WIDEST_VECTORS
void modulate(const ModulatedRows& rows, float* out) {
    const auto n = rows.width;
    const float perWidth = 1 / static_cast<float>(n);
    for (std::int64_t row = 0; row < rows.groups * rows.count; ++row) {
        const float* __restrict x = rows.x + row * n;
        const float* __restrict scale = rows.scale + row / rows.count * n;
        const float* __restrict shift = rows.shift + row / rows.count * n;
        float* __restrict y = out + row * n;
        const float mean = sumOver(n, [&](std::int64_t i) { return x[i]; }) * perWidth;
        const float square = sumOver(n, [&](std::int64_t i) { return (x[i] - mean) * (x[i] - mean); });
        const float inverse = 1 / std::sqrt(square * perWidth + static_cast<float>(rows.epsilon));
        for (std::int64_t i = 0; i < n; ++i) y[i] = (x[i] - mean) * inverse * (1 + scale[i]) + shift[i];
        rows.mean[row] = mean;
        rows.inverse[row] = inverse;
    }
}

DAILIES_WIDEST_VECTORS
void modulateBackward(const ModulatedRows& rows, const float* gradient, float* gradX, float* gradScale,
                      float* gradShift) {
    const auto n = rows.width;
    const float perWidth = 1 / static_cast<float>(n);
    std::fill_n(gradScale, rows.groups * n, 0.0F);
    std::fill_n(gradShift, rows.groups * n, 0.0F);
    for (std::int64_t row = 0; row < rows.groups * rows.count; ++row) {
        const auto group = row / rows.count;
        const float* __restrict x = rows.x + row * n;
        const float* __restrict g = gradient + row * n;
        const float* __restrict scale = rows.scale + group * n;
        float* __restrict dx = gradX + row * n;
        float* __restrict dScale = gradScale + group * n;
        float* __restrict dShift = gradShift + group * n;
        const float mean = rows.mean[row], inverse = rows.inverse[row];
        // dx first holds the gradient of the normalised row
        for (std::int64_t i = 0; i < n; ++i) {
            dx[i] = g[i] * (1 + scale[i]);
            dShift[i] += g[i];
            dScale[i] += g[i] * (x[i] - mean) * inverse;
        }
        const float first = sumOver(n, [&](std::int64_t i) { return dx[i]; }) * perWidth;
        const float second =
            sumOver(n, [&](std::int64_t i) { return dx[i] * (x[i] - mean); }) * inverse * inverse * perWidth;
        for (std::int64_t i = 0; i < n; ++i) dx[i] = inverse * (dx[i] - first - (x[i] - mean) * second);
    }
}

DAILIES_WIDEST_VECTORS
void turn(const TurnedHeads& heads, float* out) {
    const auto n = heads.width, half = n / 2;
    const float perWidth = 1 / static_cast<float>(n);
    for (std::int64_t row = 0; row < heads.clips * heads.tokens * heads.heads; ++row) {
        const auto head = row % heads.heads, token = row / heads.heads % heads.tokens,
                   clip = row / heads.heads / heads.tokens;
        const float* __restrict x = heads.x + clip * heads.clipStride + token * heads.tokenStride + head * n;
        const float* __restrict gain = heads.gain;
        const float* __restrict cosine = heads.cosine + token * n;
        const float* __restrict sine = heads.sine + token * n;
        float* __restrict y = out + row * n;
        const float square = sumOver(n, [&](std::int64_t i) { return x[i] * x[i]; });
        const float inverse = 1 / std::sqrt(square * perWidth + static_cast<float>(heads.epsilon));
        for (std::int64_t i = 0; i < half; ++i) {
            const float a = x[i] * inverse * gain[i], b = x[i + half] * inverse * gain[i + half];
            y[i] = a * cosine[i] - b * sine[i];
            y[i + half] = b * cosine[i + half] + a * sine[i + half];
        }
        heads.inverse[row] = inverse;
    }
}

DAILIES_WIDEST_VECTORS
void turnBackward(const TurnedHeads& heads, const float* gradient, float* gradX, float* gradGain) {
    const auto n = heads.width, half = n / 2;
    const float perWidth = 1 / static_cast<float>(n);
    std::vector<float> gainOfToken(static_cast<std::size_t>(n));
    std::vector<double> gainOfAll(static_cast<std::size_t>(n));
    for (std::int64_t row = 0; row < heads.clips * heads.tokens * heads.heads; ++row) {
        const auto head = row % heads.heads, token = row / heads.heads % heads.tokens,
                   clip = row / heads.heads / heads.tokens;
        const float* __restrict x = heads.x + clip * heads.clipStride + token * heads.tokenStride + head * n;
        const float* __restrict g = gradient + row * n;
        const float* __restrict gain = heads.gain;
        const float* __restrict cosine = heads.cosine + token * n;
        const float* __restrict sine = heads.sine + token * n;
        float* __restrict dx = gradX + row * n;
        float* __restrict dGain = gainOfToken.data();
        const float inverse = heads.inverse[row];
        // dx first holds the gradient before the turn
        for (std::int64_t i = 0; i < half; ++i) {
            dx[i] = g[i] * cosine[i] + g[i + half] * sine[i + half];
            dx[i + half] = g[i + half] * cosine[i + half] - g[i] * sine[i];
        }
        for (std::int64_t i = 0; i < n; ++i) {
            dGain[i] += dx[i] * x[i] * inverse;
            dx[i] *= gain[i];
        }
        const float along =
            sumOver(n, [&](std::int64_t i) { return dx[i] * x[i]; }) * inverse * inverse * perWidth;
        for (std::int64_t i = 0; i < n; ++i) dx[i] = inverse * (dx[i] - x[i] * along);
        if (head + 1 < heads.heads) continue;
        for (std::int64_t i = 0; i < n; ++i) {  // sums over all tokens would lose digits in float32
            gainOfAll[static_cast<std::size_t>(i)] += static_cast<double>(dGain[i]);
            dGain[i] = 0;
        }
    }
    std::transform(gainOfAll.begin(), gainOfAll.end(), gradGain,
                   [](double x) { return static_cast<float>(x); });
}

}  // namespace dailies::trainer::layers::cpu
