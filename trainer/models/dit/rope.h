#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace dailies::trainer {

/// Rotary position embedding over time, height and width (Su et al. 2021, split over three axes as in
/// Cosmos): of a head's D channels, 2·⌊D/6⌋ turn with the row, as many with the column and the rest with the
/// frame, each axis with frequencies 10000^(-2i/D_axis). Attention between two tokens then depends on the
/// distance between them only.
class Rope3d {
public:
    /// For tokens in the order frame, row, column. `headWidth` is even and at least 6.
    Rope3d(std::int64_t frames, std::int64_t rows, std::int64_t columns, std::int64_t headWidth,
           at::Device device);

    /// Turns queries or keys [batch, heads, tokens, headWidth]; a rotation, so norms stay as they are.
    at::Tensor rotate(const at::Tensor& x) const;

private:
    at::Tensor m_cos, m_sin;  ///< [tokens, headWidth]
};

}  // namespace dailies::trainer
