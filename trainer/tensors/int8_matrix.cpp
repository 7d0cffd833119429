#include "trainer/tensors/int8_matrix.h"

#include <torch/types.h>

namespace dailies::trainer {

namespace {

constexpr double kLargest = 127;

}  // namespace

Int8Matrix toInt8(const at::Tensor& matrix) {
    const auto largest = matrix.abs().amax(/*dim=*/1, /*keepdim=*/true);
    const auto scales = at::where(largest == 0, at::ones_like(largest), largest / kLargest);
    return {(matrix / scales).round_().clamp_(-kLargest, kLargest).to(at::kChar), scales};
}

void fromInt8(const Int8Matrix& matrix, const at::Tensor& out) {
    // bfloat16 holds ±127 exactly, so that a value is rounded once, by its scale
    at::Tensor(out).copy_(matrix.values, /*non_blocking=*/true).mul_(matrix.scales);
}

}  // namespace dailies::trainer
