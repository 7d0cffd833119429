#pragma once

#include "trainer/tensors/named_shapes.h"

// The tensors of layers of networks for pictures, as diffusers names them.

namespace dailies::trainer {

/// "down_blocks" and 2: "down_blocks.2".
std::string numbered(const std::string& list, std::int64_t i);

/// `name`.weight [out, in, side, side] and `name`.bias.
void addConvolution(NamedShapes& all, const std::string& name, std::int64_t out, std::int64_t in,
                    std::int64_t side);

/// `name`.weight and `name`.bias, [channels] each.
void addNorm(NamedShapes& all, const std::string& name, std::int64_t channels);

/// ResnetBlock2D. `timeWidth`: of the embedded noise level that it reads; 0: it reads none.
void addResidualBlock(NamedShapes& all, const std::string& name, std::int64_t in, std::int64_t out,
                      std::int64_t timeWidth = 0);

/// Convolution over three frames: `name`.weight [width, width, 3, 1, 1] and `name`.bias.
void addTimeConvolution(NamedShapes& all, const std::string& name, std::int64_t width);

/// SpatioTemporalResBlock: a residual block, one over time behind it, and the share that is taken of that.
void addTimeMixedBlock(NamedShapes& all, const std::string& name, std::int64_t in, std::int64_t out,
                       std::int64_t timeWidth = 0);

}  // namespace dailies::trainer
