#pragma once

#include "trainer/tensors/params.h"

namespace dailies::trainer::layers {

/// How a convolution moves over a picture.
struct Stride {
    std::int64_t places = 1;
    bool padded = true;  ///< black around the picture, so that `places` alone shrinks it
};

/// Convolution of pictures [n, inputs, rows, columns] by `name`.weight [outputs, inputs, side, side] of an
/// odd side, and `name`.bias.
at::Tensor convolution(const Params& weights, const std::string& name, const at::Tensor& pictures,
                       Stride stride = {});

}  // namespace dailies::trainer::layers
