#include "trainer/tokenizers/wan_vae/wan_layers.h"

#include <torch/types.h>

namespace dailies::trainer::wan_vae {

namespace {

using vae::Kernel;

constexpr std::int64_t kTime = 2;  // axis
constexpr Kernel kHalvesFrames{.frames = 3, .side = 1, .frameStride = 2};
constexpr Kernel kDoublesFrames{.frames = 3, .side = 1};
constexpr Kernel kAfterDoubling{.frames = 1, .side = 3};

/// True for the first piece of a clip, false from then on.
bool begins(const std::string& name, const at::Tensor& x, StreamState& memory) {
    auto& begun = memory[name + ".begun"];
    const bool first = !begun.defined();
    if (first) begun = at::zeros({1}, x.options());
    return first;
}

/// The first frame of a clip, undefined in later pieces, and the frames behind it, undefined without any.
struct Frames {
    at::Tensor first, later;
};

Frames splitFirst(const std::string& name, const at::Tensor& x, StreamState& memory) {
    if (!begins(name, x, memory)) return {{}, x};
    const auto later = x.slice(kTime, 1);
    return {x.slice(kTime, 0, 1), later.size(kTime) == 0 ? at::Tensor() : later};
}

at::Tensor joined(const at::Tensor& first, const at::Tensor& later) {
    if (!first.defined()) return later;
    return later.defined() ? at::cat({first, later}, kTime) : first;
}

}  // namespace

at::Tensor downsample(const Params& weights, const std::string& name, const at::Tensor& x, bool frames,
                      StreamState& memory) {
    if (!x.defined()) return x;
    const std::vector<std::int64_t> strides{1, 2, 2};
    const auto smaller =
        at::conv3d(at::constant_pad_nd(x, {0, 1, 0, 1}), weights[name + ".resample.1.weight"],
                   weights[name + ".resample.1.bias"], strides);
    if (!frames) return smaller;
    const auto time = name + ".time_conv";
    const auto [first, later] = splitFirst(time, smaller, memory);
    if (first.defined()) memory[time] = first.clone();  // what the next step looks back on
    return joined(first, vae::convolution(weights, time, later, kHalvesFrames, memory));
}

at::Tensor upsample(const Params& weights, const std::string& name, const at::Tensor& x, bool frames,
                    StreamState& memory) {
    if (!x.defined()) return x;
    auto y = x;
    if (frames) {
        const auto time = name + ".time_conv";
        const auto [first, later] = splitFirst(time, x, memory);
        auto twice = vae::convolution(weights, time, later, kDoublesFrames, memory);
        if (twice.defined()) twice = at::stack(twice.chunk(2, 1), kTime + 1).flatten(kTime, kTime + 1);
        y = joined(first, twice);
    }
    // both kinds of "nearest" agree where every pixel becomes four
    const auto larger = y.repeat_interleave(2, 3).repeat_interleave(2, 4);
    return vae::convolution(weights, name + ".resample.1", larger, kAfterDoubling, memory);
}

at::Tensor averaged(const at::Tensor& x, const Shortcut& shortcut, StreamState& memory) {
    if (!x.defined()) return x;
    auto frames = x;
    const std::int64_t time = shortcut.frames ? 2 : 1, side = shortcut.sides ? 2 : 1;
    if (shortcut.frames) {
        auto& waiting = memory[shortcut.name];
        if (!waiting.defined()) waiting = at::zeros_like(x.slice(kTime, 0, 1));
        frames = at::cat({waiting, x}, kTime);
        const auto whole = frames.size(kTime) / time * time;
        waiting = frames.slice(kTime, whole).clone();
        if (whole == 0) return {};
        frames = frames.slice(kTime, 0, whole);
    }
    const auto s = frames.sizes().vec();
    return frames.reshape({s[0], s[1], s[2] / time, time, s[3] / side, side, s[4] / side, side})
        .permute({0, 1, 3, 5, 7, 2, 4, 6})
        .reshape({s[0], shortcut.outputs, -1, s[2] / time, s[3] / side, s[4] / side})
        .mean(2);
}

at::Tensor repeated(const at::Tensor& x, const Shortcut& shortcut, StreamState& memory) {
    if (!x.defined()) return x;
    const std::int64_t time = shortcut.frames ? 2 : 1, side = shortcut.sides ? 2 : 1;
    const auto s = x.sizes().vec();
    const auto larger = x.repeat_interleave(shortcut.outputs * time * side * side / s[1], 1)
                            .reshape({s[0], shortcut.outputs, time, side, side, s[2], s[3], s[4]})
                            .permute({0, 1, 5, 2, 6, 3, 7, 4})
                            .reshape({s[0], shortcut.outputs, s[2] * time, s[3] * side, s[4] * side});
    return begins(shortcut.name, x, memory) ? larger.slice(kTime, time - 1) : larger;
}

at::Tensor folded(const at::Tensor& pixels) {
    const auto s = pixels.sizes().vec();
    return pixels.reshape({s[0], s[1], s[2], s[3] / 2, 2, s[4] / 2, 2})
        .permute({0, 1, 6, 4, 2, 3, 5})
        .reshape({s[0], 4 * s[1], s[2], s[3] / 2, s[4] / 2});
}

at::Tensor unfolded(const at::Tensor& channels) {
    const auto s = channels.sizes().vec();
    return channels.reshape({s[0], s[1] / 4, 2, 2, s[2], s[3], s[4]})
        .permute({0, 1, 4, 5, 3, 6, 2})
        .reshape({s[0], s[1] / 4, s[2], 2 * s[3], 2 * s[4]});
}

}  // namespace dailies::trainer::wan_vae
