#pragma once

#include <ATen/core/Tensor.h>

namespace dailies::trainer {

/// A matrix in 8 bits an element: W ≈ values · scales, with a scale for each row, so that a row's largest
/// value is ±127. The relative error of normal values is 0.7 %, of bfloat16 0.2 %, of e4m3 (fp8) 2.6 %.
struct Int8Matrix {
    at::Tensor values;  ///< [rows, columns], int8
    at::Tensor scales;  ///< [rows, 1], float32
};

/// Rounds to nearest. `matrix`: float32; the results lie on its device.
Int8Matrix toInt8(const at::Tensor& matrix);

/// Fills `out` [rows, columns], of any type, on its device.
void fromInt8(const Int8Matrix& matrix, const at::Tensor& out);

}  // namespace dailies::trainer
