#pragma once

#include <cstdint>

/// What AdaLN and rotary attention do element by element, each in one pass over memory, for one CPU thread
/// and float32. Plain loops over rows that lie in cache; no tensors, so that they compile in no time.
namespace dailies::trainer::layers::cpu {

/// Rows of `width` numbers that are normalised, scaled and shifted: `count` of them share each row of scale
/// and shift.
struct ModulatedRows {
    std::int64_t groups = 0, count = 0, width = 0;
    const float* x = nullptr;      ///< [groups, count, width]
    const float* scale = nullptr;  ///< [groups, width]
    const float* shift = nullptr;  ///< [groups, width], forward only
    float* mean = nullptr;         ///< [groups, count]
    float* inverse = nullptr;      ///< [groups, count]: 1 / deviation
    double epsilon = 0;
};

/// out = (1 + scale) · (x - mean) · inverse + shift; keeps mean and inverse for the backward pass.
void modulate(const ModulatedRows& rows, float* out);
/// Gradients of x [groups, count, width], scale and shift [groups, width] from that of out.
void modulateBackward(const ModulatedRows& rows, const float* gradient, float* gradX, float* gradScale,
                      float* gradShift);

/// Heads of queries or keys, RMS-normalised and turned; x may be a part of wider rows.
struct TurnedHeads {
    std::int64_t clips = 0, tokens = 0, heads = 0, width = 0;
    std::int64_t clipStride = 0, tokenStride = 0;  ///< of x; heads lie side by side
    const float* x = nullptr;
    const float* gain = nullptr;    ///< [width]
    const float* cosine = nullptr;  ///< [tokens, width]
    const float* sine = nullptr;    ///< [tokens, width]
    float* inverse = nullptr;       ///< [clips, tokens, heads]: 1 / root mean square
    double epsilon = 0;
};

/// out [clips, tokens, heads, width] = turn(gain · x · inverse); keeps `inverse` for the backward pass.
void turn(const TurnedHeads& heads, float* out);
/// Gradients of x (dense) and gain from that of out (dense).
void turnBackward(const TurnedHeads& heads, const float* gradient, float* gradX, float* gradGain);

}  // namespace dailies::trainer::layers::cpu
