#include "trainer/models/layers/cpu_kernels.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
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

/// e^y for y ≤ 0, to a few units in the last place; loops over it become vectors, which those over std::exp
/// do not.
inline __attribute__((always_inline)) float expOfNegative(float y) {
    constexpr float kLeast = -87;          // below lies no normal number
    constexpr float kRounding = 12582912;  // 1.5 · 2²³: in what is added to it no bits are left for fractions
    constexpr float kHigh = 0.693145752F, kLow = 1.42860677e-6F;  // together ln 2
    constexpr std::uint32_t kOne = 127U << 23;
    // as whole numbers, in which negative floats are ordered by size: GCC would branch on a choice of floats
    y = std::bit_cast<float>(std::min(std::bit_cast<std::uint32_t>(y), std::bit_cast<std::uint32_t>(kLeast)));
    const float shifted = y * std::numbers::log2e_v<float> + kRounding;
    const float power = shifted - kRounding;
    const float r = y - power * kHigh - power * kLow;  // |r| ≤ ln 2 / 2
    const float series =
        1 + r * (1 + r * (1.F / 2 + r * (1.F / 6 + r * (1.F / 24 + r * (1.F / 120 + r * (1.F / 720))))));
    return series * std::bit_cast<float>((std::bit_cast<std::uint32_t>(shifted) << 23) + kOne);
}

/// A function and its derivative at a place.
struct ValueAndSlope {
    float value, slope;
};

struct SquaredRelu {
    inline __attribute__((always_inline)) ValueAndSlope operator()(float x) const {
        const float positive = x > 0 ? x : 0;
        return {positive * positive, 2 * positive};
    }
};

/// With erf by Abramowitz & Stegun 1964, 7.1.26, whose error is below 1.5e-7 and whose exponential is that of
/// the slope.
struct Gelu {
    inline __attribute__((always_inline)) ValueAndSlope operator()(float x) const {
        constexpr float kRootOfHalf = 0.707106781F, kDensity = 0.398942280F;  // 1 / √(2π)
        const float z = std::fabs(x) * kRootOfHalf;
        const float t = 1 / (1 + 0.3275911F * z);
        const float bell = expOfNegative(-z * z);
        const float tail =
            t *
            (0.254829592F +
             t * (-0.284496736F + t * (1.421413741F + t * (-1.453152027F + t * 1.061405429F)))) *
            bell / 2;
        // Φ(x); a choice between tail and 1 - tail would keep the loop from becoming vectors
        const float share = 0.5F + std::copysign(0.5F - tail, x);
        return {x * share, share + x * kDensity * bell};
    }
};

struct GeluTanh {
    inline __attribute__((always_inline)) ValueAndSlope operator()(float x) const {
        constexpr float kScale = 0.797884561F, kCubic = 0.044715F;  // √(2/π)
        const float inner = kScale * (x + kCubic * x * x * x);
        const float small = expOfNegative(-2 * std::fabs(inner));
        const float size = (1 - small) / (1 + small);
        const float tanh = std::copysign(size, inner);
        const float slope = kScale * (1 + 3 * kCubic * x * x);
        return {0.5F * x * (1 + tanh), 0.5F * (1 + tanh) + 0.5F * x * (1 - tanh * tanh) * slope};
    }
};

template <class F>
inline __attribute__((always_inline)) void activateRows(const HiddenRows& rows, float* out, const F& f) {
    for (std::int64_t row = 0; row < rows.count; ++row) {
        const float* __restrict x = rows.x + row * rows.width;
        const float* __restrict bias = rows.bias;
        float* __restrict y = out + row * rows.width;
        if (bias)
            for (std::int64_t i = 0; i < rows.width; ++i) y[i] = f(x[i] + bias[i]).value;
        else
            for (std::int64_t i = 0; i < rows.width; ++i) y[i] = f(x[i]).value;
    }
}

template <class F>
inline __attribute__((always_inline)) void activateRowsBackward(const HiddenRows& rows, const float* gradient,
                                                                float* gradX, float* gradBias, const F& f) {
    constexpr std::int64_t kRowsOfASum = 64;  // long sums would lose digits in float32
    const auto n = rows.width;
    if (!rows.bias) {
        for (std::int64_t i = 0; i < rows.count * n; ++i) gradX[i] = gradient[i] * f(rows.x[i]).slope;
        return;
    }
    std::fill_n(gradBias, n, 0.0F);
    std::vector<float> partial(static_cast<std::size_t>(n));
    for (std::int64_t row = 0; row < rows.count; ++row) {
        const float* __restrict x = rows.x + row * n;
        const float* __restrict bias = rows.bias;
        const float* __restrict g = gradient + row * n;
        float* __restrict dx = gradX + row * n;
        float* __restrict sum = partial.data();
        for (std::int64_t i = 0; i < n; ++i) {
            dx[i] = g[i] * f(x[i] + bias[i]).slope;
            sum[i] += dx[i];
        }
        if ((row + 1) % kRowsOfASum != 0 && row + 1 < rows.count) continue;
        for (std::int64_t i = 0; i < n; ++i) {
            gradBias[i] += sum[i];
            sum[i] = 0;
        }
    }
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
        const float rstd = 1 / std::sqrt(square * perWidth + static_cast<float>(rows.epsilon));
        for (std::int64_t i = 0; i < n; ++i) y[i] = (x[i] - mean) * rstd * (1 + scale[i]) + shift[i];
        rows.mean[row] = mean;
        rows.rstd[row] = rstd;
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
        const float mean = rows.mean[row], rstd = rows.rstd[row];
        // dx first holds the gradient of the normalised row
        for (std::int64_t i = 0; i < n; ++i) {
            dx[i] = g[i] * (1 + scale[i]);
            dShift[i] += g[i];
            dScale[i] += g[i] * (x[i] - mean) * rstd;
        }
        const float first = sumOver(n, [&](std::int64_t i) { return dx[i]; }) * perWidth;
        const float second =
            sumOver(n, [&](std::int64_t i) { return dx[i] * (x[i] - mean); }) * rstd * rstd * perWidth;
        for (std::int64_t i = 0; i < n; ++i) dx[i] = rstd * (dx[i] - first - (x[i] - mean) * second);
    }
}

DAILIES_WIDEST_VECTORS
void gate(const GatedRows& rows, const float* x, float* sum) {
    const auto n = rows.width;
    for (std::int64_t row = 0; row < rows.groups * rows.count; ++row) {
        const float* __restrict before = x + row * n;
        const float* __restrict change = rows.change + row * n;
        const float* __restrict open = rows.gate + row / rows.count * n;
        float* __restrict after = sum + row * n;
        for (std::int64_t i = 0; i < n; ++i) after[i] = before[i] + open[i] * change[i];
    }
}

DAILIES_WIDEST_VECTORS
void gateBackward(const GatedRows& rows, const float* gradient, float* gradChange, float* gradGate) {
    const auto n = rows.width;
    std::fill_n(gradGate, rows.groups * n, 0.0F);
    for (std::int64_t row = 0; row < rows.groups * rows.count; ++row) {
        const float* __restrict g = gradient + row * n;
        const float* __restrict change = rows.change + row * n;
        const float* __restrict open = rows.gate + row / rows.count * n;
        float* __restrict dChange = gradChange + row * n;
        float* __restrict dGate = gradGate + row / rows.count * n;
        for (std::int64_t i = 0; i < n; ++i) {
            dChange[i] = g[i] * open[i];
            dGate[i] += g[i] * change[i];
        }
    }
}

DAILIES_WIDEST_VECTORS
void activate(const HiddenRows& rows, float* out) {
    switch (rows.activation) {
        case Activation::relu2:
            return activateRows(rows, out, SquaredRelu());
        case Activation::gelu:
            return activateRows(rows, out, Gelu());
        case Activation::geluTanh:
            return activateRows(rows, out, GeluTanh());
    }
}

DAILIES_WIDEST_VECTORS
void activateBackward(const HiddenRows& rows, const float* gradient, float* gradX, float* gradBias) {
    switch (rows.activation) {
        case Activation::relu2:
            return activateRowsBackward(rows, gradient, gradX, gradBias, SquaredRelu());
        case Activation::gelu:
            return activateRowsBackward(rows, gradient, gradX, gradBias, Gelu());
        case Activation::geluTanh:
            return activateRowsBackward(rows, gradient, gradX, gradBias, GeluTanh());
    }
}

DAILIES_WIDEST_VECTORS
void rope(const RopeHeads& heads, float* out) {
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
        const float rstd = 1 / std::sqrt(square * perWidth + static_cast<float>(heads.epsilon));
        for (std::int64_t i = 0; i < half; ++i) {
            const float a = x[i] * rstd * gain[i], b = x[i + half] * rstd * gain[i + half];
            y[i] = a * cosine[i] - b * sine[i];
            y[i + half] = b * cosine[i + half] + a * sine[i + half];
        }
        heads.rstd[row] = rstd;
    }
}

DAILIES_WIDEST_VECTORS
void ropeBackward(const RopeHeads& heads, const float* gradient, float* gradX, float* gradGain) {
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
        const float rstd = heads.rstd[row];
        // dx first holds the gradient before the rope
        for (std::int64_t i = 0; i < half; ++i) {
            dx[i] = g[i] * cosine[i] + g[i + half] * sine[i + half];
            dx[i + half] = g[i + half] * cosine[i + half] - g[i] * sine[i];
        }
        for (std::int64_t i = 0; i < n; ++i) {
            dGain[i] += dx[i] * x[i] * rstd;
            dx[i] *= gain[i];
        }
        const float along = sumOver(n, [&](std::int64_t i) { return dx[i] * x[i]; }) * rstd * rstd * perWidth;
        for (std::int64_t i = 0; i < n; ++i) dx[i] = rstd * (dx[i] - x[i] * along);
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
