#pragma once

#include <cstdint>

/// What AdaLN, rotary attention and the MLP do element by element, each in one pass over memory, for one CPU
/// thread and float32. Plain loops over rows that lie in cache; no tensors, so that they compile in no time.
namespace dailies::trainer::layers::cpu {

/// Rows of `width` numbers that are normalised, scaled and shifted: `count` of them share each row of scale
/// and shift.
struct ModulatedRows {
    std::int64_t groups = 0, count = 0, width = 0;
    const float* x = nullptr;      ///< [groups, count, width]
    const float* scale = nullptr;  ///< [groups, width]
    const float* shift = nullptr;  ///< [groups, width], forward only
    float* mean = nullptr;         ///< [groups, count]
    float* rstd = nullptr;         ///< [groups, count]: 1 / deviation
    double epsilon = 0;
};

/// out = (1 + scale) · (x - mean) · rstd + shift; keeps mean and rstd for the backward pass.
void modulate(const ModulatedRows& rows, float* out);
/// Gradients of x [groups, count, width], scale and shift [groups, width] from that of out.
void modulateBackward(const ModulatedRows& rows, const float* gradient, float* gradX, float* gradScale,
                      float* gradShift);

/// Rows of a residual sum: `count` of them share each row of the gate.
struct GatedRows {
    std::int64_t groups = 0, count = 0, width = 0;
    const float* change = nullptr;  ///< [groups, count, width]
    const float* gate = nullptr;    ///< [groups, width]
};

/// sum = x + gate · change.
void gate(const GatedRows& rows, const float* x, float* sum);
/// Gradients of change and gate from that of the sum, which is also that of x.
void gateBackward(const GatedRows& rows, const float* gradient, float* gradChange, float* gradGate);

/// The non-linearities of an MLP: the square of ReLU; GELU as x · Φ(x); and its form with tanh (Hendrycks &
/// Gimpel 2016).
enum class Activation { relu2, gelu, geluTanh };

/// Rows of an MLP's inner numbers before their bias.
struct HiddenRows {
    std::int64_t count = 0, width = 0;
    const float* x = nullptr;     ///< [count, width]
    const float* bias = nullptr;  ///< [width], or null
    Activation activation{};
};

/// out = activation(x + bias), to 2e-7 of its size.
void activate(const HiddenRows& rows, float* out);
/// Gradients of x and, where there is one, of bias from that of out.
void activateBackward(const HiddenRows& rows, const float* gradient, float* gradX, float* gradBias);

/// Heads of queries or keys, RMS-normalised and turned; x may be a part of wider rows.
struct RopeHeads {
    std::int64_t clips = 0, tokens = 0, heads = 0, width = 0;
    std::int64_t clipStride = 0, tokenStride = 0;  ///< of x; heads lie side by side
    const float* x = nullptr;
    const float* gain = nullptr;    ///< [width]
    const float* cosine = nullptr;  ///< [tokens, width]
    const float* sine = nullptr;    ///< [tokens, width]
    float* rstd = nullptr;          ///< [clips, tokens, heads]: 1 / root mean square
    double epsilon = 0;
};

/// out [clips, tokens, heads, width] = rope(gain · x · rstd); keeps `rstd` for the backward pass.
void rope(const RopeHeads& heads, float* out);
/// Gradients of x (dense) and gain from that of out (dense).
void ropeBackward(const RopeHeads& heads, const float* gradient, float* gradX, float* gradGain);

}  // namespace dailies::trainer::layers::cpu
