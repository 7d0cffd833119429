#pragma once

#include "trainer/models/layers/cuda/kernels/team.h"

#include <cstdint>

namespace dailies::trainer::kernels {

/// Queries or keys as they lie: tokens of `units` norms of `width` channels each, of which every `headWidth`
/// are a head. One norm a head has width = headWidth; one norm over all heads has units = 1.
struct HeadRows {
    std::int64_t tokens = 0;
    std::int64_t stride = 0;  ///< from a token's queries to the next one's, in the input
    int units = 1;
    int width = 0;
    int headWidth = 0;
    bool interleaved = false;     ///< which two channels rotate together: see layers::RopeTable
    std::int64_t ropeTokens = 1;  ///< after so many tokens the turns begin again
    int ropeStride = 0;           ///< from a token's cosines to the next one's

    DAILIES_HOST_DEVICE std::int64_t rows() const { return tokens * units; }
    DAILIES_HOST_DEVICE std::int64_t input(std::int64_t row) const {
        return row / units * stride + row % units * width;
    }
    DAILIES_HOST_DEVICE std::int64_t output(std::int64_t row) const { return row * width; }
    DAILIES_HOST_DEVICE std::int64_t rope(std::int64_t row) const {
        return row / units % ropeTokens * ropeStride;
    }
};

/// y = turned(gain · x / rms(x)). A team's members hold the two channels of a pair each.
template <class T>
struct NormRope {
    HeadRows shape;
    const T* x = nullptr;
    const float* gain = nullptr;
    const float* cos = nullptr;
    const float* sin = nullptr;
    T* y = nullptr;
    float epsilon = 0;

    static constexpr bool kPairs = true;
    DAILIES_HOST_DEVICE std::int64_t pieces() const { return shape.rows(); }
    DAILIES_HOST_DEVICE int width() const { return shape.width; }
    DAILIES_HOST_DEVICE int headWidth() const { return shape.headWidth; }

    template <class Team>
    DAILIES_DEVICE_INLINE void run(Team& team, std::int64_t row) const {
        auto a = team.zeros(), b = team.zeros(), gainA = team.zeros(), gainB = team.zeros();
        team.loadPairs(x + shape.input(row), shape.interleaved, a, b);
        team.loadPairs(gain, shape.interleaved, gainA, gainB);
        const auto c = team.loadRope(cos + shape.rope(row)), s = team.loadRope(sin + shape.rope(row));
        auto squaresA = team.zeros(), squaresB = team.zeros();
        for (int i = 0; i < team.count(); ++i) {
            squaresA[i] = a[i] * a[i];
            squaresB[i] = b[i] * b[i];
        }
        const Sums squares = team.sum(squaresA, squaresB);
        const float rstd =
            1.0f / sqrtf((squares.first + squares.second) / static_cast<float>(shape.width) + epsilon);
        for (int i = 0; i < team.count(); ++i) {
            const float first = a[i] * rstd * gainA[i], second = b[i] * rstd * gainB[i];
            a[i] = first * c[i] - second * s[i];
            b[i] = first * s[i] + second * c[i];
        }
        team.storePairs(y + shape.output(row), shape.interleaved, a, b);
    }
};

/// The way back; the norm is computed again. Lane g of `lanes` takes the rows g, g + lanes, …, and leaves its
/// sum of the gain's gradient in row g of `gainSums`, [lanes, width].
template <class T>
struct NormRopeBackward {
    HeadRows shape;
    std::int64_t lanes = 1;
    const T* x = nullptr;
    const float* gain = nullptr;
    const float* cos = nullptr;
    const float* sin = nullptr;
    const T* yGradient = nullptr;  ///< laid out like y
    T* xGradient = nullptr;        ///< laid out like x
    float* gainSums = nullptr;
    float epsilon = 0;

    static constexpr bool kPairs = true;
    DAILIES_HOST_DEVICE std::int64_t pieces() const { return lanes; }
    DAILIES_HOST_DEVICE int width() const { return shape.width; }
    DAILIES_HOST_DEVICE int headWidth() const { return shape.headWidth; }

    template <class Team>
    DAILIES_DEVICE_INLINE void run(Team& team, std::int64_t lane) const {
        const float width = static_cast<float>(shape.width);
        auto gainA = team.zeros(), gainB = team.zeros(), sumA = team.zeros(), sumB = team.zeros();
        team.loadPairs(gain, shape.interleaved, gainA, gainB);
        // every member of a warp makes as many rounds, since sums are taken together
        const auto rounds = (shape.rows() + lanes - 1) / lanes;
        for (std::int64_t round = 0; round < rounds; ++round) {
            const auto row = lane + round * lanes;
            const bool there = row < shape.rows();
            const auto from = there ? row : lane;
            auto a = team.zeros(), b = team.zeros(), u = team.zeros(), v = team.zeros();
            team.loadPairs(x + shape.input(from), shape.interleaved, a, b);
            team.loadPairs(yGradient + shape.output(from), shape.interleaved, u, v);
            const auto c = team.loadRope(cos + shape.rope(from)), s = team.loadRope(sin + shape.rope(from));
            auto squares = team.zeros(), product = team.zeros();
            for (int i = 0; i < team.count(); ++i) {
                const float first = u[i] * c[i] + v[i] * s[i], second = v[i] * c[i] - u[i] * s[i];
                u[i] = first;
                v[i] = second;
                squares[i] = a[i] * a[i] + b[i] * b[i];
                product[i] = first * gainA[i] * a[i] + second * gainB[i] * b[i];
            }
            const Sums sums = team.sum(squares, product);
            if (!there) continue;
            const float rstd = 1.0f / sqrtf(sums.first / width + epsilon);
            const float pull = sums.second / width * rstd * rstd;
            for (int i = 0; i < team.count(); ++i) {
                sumA[i] += u[i] * a[i] * rstd;
                sumB[i] += v[i] * b[i] * rstd;
                a[i] = rstd * (u[i] * gainA[i] - a[i] * pull);
                b[i] = rstd * (v[i] * gainB[i] - b[i] * pull);
            }
            team.storePairs(xGradient + shape.input(row), shape.interleaved, a, b);
        }
        team.storePairs(gainSums + lane * shape.width, shape.interleaved, sumA, sumB);
    }
};

}  // namespace dailies::trainer::kernels
