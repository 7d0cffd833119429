#pragma once

#include "trainer/models/weight_initializer.h"

#include <map>
#include <string>

namespace dailies::trainer::vae {

/// What the layers of a causal network remember of the frames that went before, so that a clip may come in
/// pieces of any number of frames: the pieces' outputs are those of the whole, bit for bit. A fresh one
/// begins a clip. An undefined tensor stands for a piece of no frames.
using StreamState = std::map<std::string, at::Tensor>;

/// How a convolution moves over [n, channels, frames, height, width].
struct Kernel {
    std::int64_t frames = 3, side = 3;
    std::int64_t frameStride = 1, sideStride = 1;
};

/// Weights: `name`.weight [outputs, inputs, frames, side, side] and `name`.bias, scaled for what SiLU leaves.
void declareConvolution(WeightInitializer& make, const std::string& name, std::int64_t outputs,
                        std::int64_t inputs, Kernel kernel);

/// Convolution that sees of time only what has been: (frames - 1) black frames stand before the first, none
/// behind the last.
at::Tensor convolution(const Params& weights, const std::string& name, const at::Tensor& x, Kernel kernel,
                       StreamState& memory);

/// What is added to a mean square before it divides: so much that gradients of black places stay small.
inline constexpr double kNormFloor = 1e-12;

/// SiLU of x normalised: divided by the RMS over the channels of each place, times a gain, `name`.gain. It
/// mixes neither frames nor places.
at::Tensor rmsNormSilu(const Params& weights, const std::string& name, const at::Tensor& x,
                       double floor = kNormFloor);

/// norm, SiLU, convolution, twice, around a sum: `name`.norm1, .conv1, .norm2, .conv2, and .shortcut where
/// the channels change.
struct ResidualBlock {
    std::int64_t inputs = 0, outputs = 0;
    double floor = kNormFloor;

    void declare(WeightInitializer& make, const std::string& name) const;
    at::Tensor operator()(const Params& weights, const std::string& name, const at::Tensor& x,
                          StreamState& memory) const;
};

/// Attention among the places of each frame, with one head: `name`.norm, .qkv, .out.
struct FrameAttention {
    std::int64_t channels = 0;
    double floor = kNormFloor;

    void declare(WeightInitializer& make, const std::string& name) const;
    at::Tensor operator()(const Params& weights, const std::string& name, const at::Tensor& x) const;
};

/// Halves the sides and, with `frames`, the frames after the first: `name`.side, `name`.frames.
struct Downsample {
    std::int64_t inputs = 0, outputs = 0;
    bool frames = false;

    void declare(WeightInitializer& make, const std::string& name) const;
    at::Tensor operator()(const Params& weights, const std::string& name, const at::Tensor& x,
                          StreamState& memory) const;
};

/// Doubles them: the first frame stays one, each later one becomes two.
struct Upsample {
    std::int64_t inputs = 0, outputs = 0;
    bool frames = false;

    void declare(WeightInitializer& make, const std::string& name) const;
    at::Tensor operator()(const Params& weights, const std::string& name, const at::Tensor& x,
                          StreamState& memory) const;
};

}  // namespace dailies::trainer::vae
