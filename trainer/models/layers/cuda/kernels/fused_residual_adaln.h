#pragma once

#include "trainer/models/layers/cuda/kernels/team.h"

#include <cstdint>

namespace dailies::trainer::kernels {

/// Which rows share a row of shift, scale and gate: `rowsPerGroup` neighbours each.
struct ModulatedRows {
    std::int64_t rows = 0;
    std::int64_t rowsPerGroup = 1;
    int width = 0;
};

/// Where two sub-layers of a transformer block meet:
///   sum    = x + gate · change
///   normed = (1 + scale) · layerNorm(sum) + shift
/// Without `change` sum is x and is not written; without `normed` only the sum is computed. Changes and what
/// is normed are of type T, all else float32.
template <class Change, class Normed>
struct FusedResidualAdaLn {
    ModulatedRows shape;
    const float* x = nullptr;
    const Change* change = nullptr;
    const float* gate = nullptr;
    float* sum = nullptr;
    const float* shift = nullptr;
    const float* scale = nullptr;
    Normed* normed = nullptr;
    float* mean = nullptr;  ///< of each row, for the way back
    float* rstd = nullptr;  ///< 1 / deviation of each row
    float epsilon = 0;

    static constexpr bool kPairs = false;
    DAILIES_HOST_DEVICE std::int64_t pieces() const { return shape.rows; }
    DAILIES_HOST_DEVICE int width() const { return shape.width; }
    DAILIES_HOST_DEVICE int headWidth() const { return 0; }

    template <class Team>
    DAILIES_DEVICE_INLINE void run(Team& team, std::int64_t row) const {
        const auto at = row * shape.width, groupOffset = row / shape.rowsPerGroup * shape.width;
        auto value = team.load(x + at);
        if (change) {
            const auto added = team.load(change + at), open = team.load(gate + groupOffset);
            for (int i = 0; i < team.count(); ++i) value[i] += open[i] * added[i];
            team.store(sum + at, value);
        }
        if (!normed) return;

        const float width = static_cast<float>(shape.width);
        auto part = team.zeros();
        for (int i = 0; i < team.count(); ++i) part[i] = value[i];
        const float middle = team.sum(part, part).first / width;
        for (int i = 0; i < team.count(); ++i) {
            value[i] = team.isActive() ? value[i] - middle : 0.0f;
            part[i] = value[i] * value[i];
        }
        const float turned = 1.0f / sqrtf(team.sum(part, part).first / width + epsilon);
        const auto moved = team.load(shift + groupOffset), stretched = team.load(scale + groupOffset);
        for (int i = 0; i < team.count(); ++i)
            value[i] = moved[i] + value[i] * turned * (1.0f + stretched[i]);
        team.store(normed + at, value);
        if (team.isLeader()) {
            mean[row] = middle;
            rstd[row] = turned;
        }
    }
};

/// The way back. `sumGradient` (of what else reads the sum) and `normedGradient` may each be absent.
/// Gradients of shift, scale and gate come as sums over chunks of rows, [chunks, width], which the caller
/// adds up: so results do not depend on the order in which blocks run.
template <class Change, class Normed>
struct FusedResidualAdaLnBackward {
    ModulatedRows shape;
    std::int64_t chunkRows = 1;
    const float* sum = nullptr;  ///< of the way there
    const Change* change = nullptr;
    const float* gate = nullptr;
    const float* scale = nullptr;
    const float* mean = nullptr;
    const float* rstd = nullptr;
    const float* sumGradient = nullptr;
    const Normed* normedGradient = nullptr;
    float* xGradient = nullptr;  ///< may be absent where it would equal sumGradient
    Change* changeGradient = nullptr;
    float* gateSums = nullptr;
    float* shiftSums = nullptr;
    float* scaleSums = nullptr;

    static constexpr bool kPairs = false;
    DAILIES_HOST_DEVICE std::int64_t chunksPerGroup() const {
        return (shape.rowsPerGroup + chunkRows - 1) / chunkRows;
    }
    DAILIES_HOST_DEVICE std::int64_t pieces() const {
        return shape.rows / shape.rowsPerGroup * chunksPerGroup();
    }
    DAILIES_HOST_DEVICE int width() const { return shape.width; }
    DAILIES_HOST_DEVICE int headWidth() const { return 0; }

    template <class Team>
    DAILIES_DEVICE_INLINE void run(Team& team, std::int64_t chunk) const {
        const auto group = chunk / chunksPerGroup();
        const auto end = (group + 1) * shape.rowsPerGroup;
        const auto first = group * shape.rowsPerGroup + chunk % chunksPerGroup() * chunkRows;
        const auto last = first + chunkRows < end ? first + chunkRows : end;
        const auto groupOffset = group * shape.width;
        const float width = static_cast<float>(shape.width);

        auto shiftSum = team.zeros(), scaleSum = team.zeros(), gateSum = team.zeros();
        auto stretch = team.zeros(), open = team.zeros();
        if (normedGradient) stretch = team.load(scale + groupOffset);
        if (change) open = team.load(gate + groupOffset);
        for (auto row = first; row < last; ++row) {
            const auto at = row * shape.width;
            auto gradient = team.zeros();
            if (sumGradient) gradient = team.load(sumGradient + at);
            if (normedGradient) {
                auto unit = team.load(sum + at);
                auto through = team.load(normedGradient + at);
                auto both = team.zeros();
                for (int i = 0; i < team.count(); ++i) {
                    unit[i] = team.isActive() ? (unit[i] - mean[row]) * rstd[row] : 0.0f;
                    shiftSum[i] += through[i];
                    scaleSum[i] += through[i] * unit[i];
                    through[i] *= 1.0f + stretch[i];
                    both[i] = through[i] * unit[i];
                }
                const Sums sums = team.sum(through, both);
                for (int i = 0; i < team.count(); ++i)
                    gradient[i] +=
                        rstd[row] * (through[i] - sums.first / width - unit[i] * (sums.second / width));
            }
            if (xGradient) team.store(xGradient + at, gradient);
            if (!change) continue;
            const auto added = team.load(change + at);
            for (int i = 0; i < team.count(); ++i) {
                gateSum[i] += gradient[i] * added[i];
                gradient[i] *= open[i];
            }
            team.store(changeGradient + at, gradient);
        }
        const auto at = chunk * shape.width;
        if (normedGradient) {
            team.store(shiftSums + at, shiftSum);
            team.store(scaleSums + at, scaleSum);
        }
        if (change) team.store(gateSums + at, gateSum);
    }
};

}  // namespace dailies::trainer::kernels
