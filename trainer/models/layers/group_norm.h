#pragma once

#include "trainer/tensors/params.h"

namespace dailies::trainer::layers {

/// Normalisation of groups of neighbouring channels, each over all places of a picture (Wu & He 2018), in at
/// least float32: `name`.weight and `name`.bias, a gain and an offset for each channel.
struct GroupNorm {
    std::int64_t groups = 32;  ///< a divisor of the channels
    double epsilon = 1e-6;

    /// [n, channels, …] → the same. Statistics run over all axes behind the channels, those of frames
    /// included.
    at::Tensor operator()(const Params& weights, const std::string& name, const at::Tensor& x) const;
};

}  // namespace dailies::trainer::layers
