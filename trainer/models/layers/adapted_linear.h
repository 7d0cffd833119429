#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace dailies::trainer::layers {

/// Rows of a layer's matrix W that have low-rank factors. All of a layer have the same rank.
struct AdaptedRows {
    std::int64_t first = 0;  ///< of the outputs
    at::Tensor lower;        ///< A [rank, inputs]
    at::Tensor upper;        ///< B [rows, rank]
};

/// x·Wᵀ + bias, with scale · B(A(x)) added to the outputs of the adapted rows. W and bias are constants;
/// gradients flow to x and the factors. The same as by single operations, but the outputs are added to where
/// they lie, and all A are multiplied with x at once: products so thin cost what reading and
/// writing their operands costs. Computes in the type that `at::linear` gives here, so under autocast in its.
at::Tensor adaptedLinear(const at::Tensor& x, const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                         const std::vector<AdaptedRows>& adapted, double scale);

}  // namespace dailies::trainer::layers
