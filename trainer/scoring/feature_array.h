#pragma once

#include "trainer/data/array.h"

#include <torch/types.h>

namespace dailies::trainer {

/// Features as an `ArrayCache` keeps them: float32, on the CPU, contiguous.
inline Array arrayOf(const at::Tensor& features) {
    const auto* first = features.const_data_ptr<float>();
    return floatArray(features.sizes().vec(), {first, first + features.numel()});
}

inline at::Tensor tensorOf(const Array& array) {
    return at::tensor(toFloats(array), at::kFloat).view(array.shape);
}

}  // namespace dailies::trainer
