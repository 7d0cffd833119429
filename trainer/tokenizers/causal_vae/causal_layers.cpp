#include "trainer/tokenizers/causal_vae/causal_layers.h"

#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include <cmath>

namespace dailies::trainer::vae {

namespace {

constexpr std::int64_t kFrameAxis = 2;
constexpr Kernel kPointwise{.frames = 1, .side = 1};
constexpr Kernel kSideDown{.frames = 1, .side = 3, .sideStride = 2};
constexpr Kernel kSideUp{.frames = 1, .side = 3};
constexpr Kernel kFramesDown{.frames = 3, .side = 1, .frameStride = 2};
constexpr Kernel kFramesUp{.frames = 3, .side = 1};

/// [n, channels, frames, height, width] → [n · frames, channels, height, width], and back.
at::Tensor asPictures(const at::Tensor& x) {
    return x.transpose(1, 2).flatten(0, 1);
}

at::Tensor asClips(const at::Tensor& pictures, std::int64_t clips) {
    return pictures.unflatten(0, {clips, -1}).transpose(1, 2);
}

/// `change` of each frame by itself. LibTorch computes the last few numbers of a tensor with other
/// instructions than the rest, so what a frame gives would depend on how many there are. Training, which
/// takes clips whole, does without.
template <class Change>
at::Tensor frameByFrame(const at::Tensor& x, Change change) {
    if (at::GradMode::is_enabled()) return change(x);
    std::vector<at::Tensor> frames;
    for (const auto& frame : x.split(1, kFrameAxis)) frames.push_back(change(frame.contiguous()));
    return at::cat(frames, kFrameAxis);
}

at::Tensor normalised(const Params& weights, const std::string& name, const at::Tensor& x, double floor) {
    const auto meanSquare = x.square().mean(1, /*keepdim=*/true);
    return x * (meanSquare + floor).rsqrt() * weights[name + ".gain"].view({1, -1, 1, 1, 1});
}

}  // namespace

void declareConvolution(WeightInitializer& make, const std::string& name, std::int64_t outputs,
                        std::int64_t inputs, Kernel kernel) {
    const auto fan = inputs * kernel.frames * kernel.side * kernel.side;
    make.normal(name + ".weight", {outputs, inputs, kernel.frames, kernel.side, kernel.side},
                1 / std::sqrt(static_cast<double>(fan)));
    make.zeros(name + ".bias", {outputs});
}

at::Tensor convolution(const Params& weights, const std::string& name, const at::Tensor& x, Kernel kernel,
                       StreamState& memory) {
    if (!x.defined()) return x;
    auto frames = x;
    if (kernel.frames > 1) {
        auto& before = memory[name];
        if (!before.defined()) {
            auto sizes = x.sizes().vec();
            sizes[2] = kernel.frames - 1;
            before = at::zeros(sizes, x.options());
        }
        frames = at::cat({before, x}, 2);
        const auto outputs = (frames.size(2) - kernel.frames) / kernel.frameStride + 1;
        const bool any = frames.size(2) >= kernel.frames;
        // what later outputs need; a copy of its own, so that the whole piece is not kept alive
        before = frames.slice(2, any ? outputs * kernel.frameStride : 0).clone();
        if (!any) return {};
        frames = frames.slice(2, 0, (outputs - 1) * kernel.frameStride + kernel.frames);
    }
    const auto& weight = weights[name + ".weight"];
    const auto& bias = weights[name + ".bias"];
    const auto edge = kernel.side / 2;
    const std::vector<std::int64_t> strides{kernel.frameStride, kernel.sideStride, kernel.sideStride};
    const std::vector<std::int64_t> padding{0, edge, edge};
    return at::conv3d(frames, weight, bias, strides, padding);
}

at::Tensor rmsNormSilu(const Params& weights, const std::string& name, const at::Tensor& x, double floor) {
    if (!x.defined()) return x;
    return frameByFrame(
        x, [&](const at::Tensor& frames) { return at::silu(normalised(weights, name, frames, floor)); });
}

void ResidualBlock::declare(WeightInitializer& make, const std::string& name) const {
    make.ones(name + ".norm1.gain", {inputs});
    declareConvolution(make, name + ".conv1", outputs, inputs, {});
    make.ones(name + ".norm2.gain", {outputs});
    constexpr Kernel kernel;  // of the second: zero, so that a block begins by adding nothing
    make.zeros(name + ".conv2.weight", {outputs, outputs, kernel.frames, kernel.side, kernel.side});
    make.zeros(name + ".conv2.bias", {outputs});
    if (inputs != outputs) declareConvolution(make, name + ".shortcut", outputs, inputs, kPointwise);
}

at::Tensor ResidualBlock::operator()(const Params& weights, const std::string& name, const at::Tensor& x,
                                     StreamState& memory) const {
    if (!x.defined()) return x;
    const auto straight =
        inputs == outputs ? x : convolution(weights, name + ".shortcut", x, kPointwise, memory);
    auto y = rmsNormSilu(weights, name + ".norm1", x, floor);
    y = convolution(weights, name + ".conv1", y, {}, memory);
    y = rmsNormSilu(weights, name + ".norm2", y, floor);
    return straight + convolution(weights, name + ".conv2", y, {}, memory);
}

void FrameAttention::declare(WeightInitializer& make, const std::string& name) const {
    make.ones(name + ".norm.gain", {channels});
    make.linear(name + ".qkv", 3 * channels, channels, true);
    make.zeroLinear(name + ".out", channels, channels, true);
}

at::Tensor FrameAttention::operator()(const Params& weights, const std::string& name,
                                      const at::Tensor& x) const {
    if (!x.defined()) return x;
    // one by one always: a matrix product may round otherwise where it is given more frames
    std::vector<at::Tensor> frames;
    for (const auto& frame : x.split(1, kFrameAxis)) {
        const auto places =
            normalised(weights, name + ".norm", frame.contiguous(), floor).flatten(2).transpose(1, 2);
        const auto parts =
            at::linear(places, weights[name + ".qkv.weight"], weights[name + ".qkv.bias"]).chunk(3, -1);
        // without the scores in memory, which grow with the square of the places
        const auto mixed = at::scaled_dot_product_attention(parts[0].unsqueeze(1), parts[1].unsqueeze(1),
                                                            parts[2].unsqueeze(1))
                               .squeeze(1);
        const auto out = at::linear(mixed, weights[name + ".out.weight"], weights[name + ".out.bias"]);
        frames.push_back(out.transpose(1, 2).reshape(frame.sizes()));
    }
    return x + at::cat(frames, kFrameAxis);
}

void Downsample::declare(WeightInitializer& make, const std::string& name) const {
    declareConvolution(make, name + ".side", outputs, inputs, kSideDown);
    if (frames) declareConvolution(make, name + ".frames", outputs, outputs, kFramesDown);
}

at::Tensor Downsample::operator()(const Params& weights, const std::string& name, const at::Tensor& x,
                                  StreamState& memory) const {
    const auto smaller = convolution(weights, name + ".side", x, kSideDown, memory);
    return frames ? convolution(weights, name + ".frames", smaller, kFramesDown, memory) : smaller;
}

void Upsample::declare(WeightInitializer& make, const std::string& name) const {
    if (frames) declareConvolution(make, name + ".frames", inputs, inputs, kFramesUp);
    declareConvolution(make, name + ".side", outputs, inputs, kSideUp);
}

at::Tensor Upsample::operator()(const Params& weights, const std::string& name, const at::Tensor& x,
                                StreamState& memory) const {
    if (!x.defined()) return x;
    auto y = x;
    if (frames) {
        auto& begun = memory[name + ".begun"];
        y = y.repeat_interleave(2, 2);
        if (!begun.defined()) y = y.slice(2, 1);
        begun = at::zeros({1});
        y = convolution(weights, name + ".frames", y, kFramesUp, memory);
    }
    const auto larger = at::upsample_nearest2d(asPictures(y), {2 * y.size(3), 2 * y.size(4)});
    return convolution(weights, name + ".side", asClips(larger, y.size(0)), kSideUp, memory);
}

}  // namespace dailies::trainer::vae
