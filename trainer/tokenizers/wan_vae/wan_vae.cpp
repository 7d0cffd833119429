#include "trainer/tokenizers/wan_vae/wan_vae.h"

#include "trainer/tokenizers/wan_vae/wan_layers.h"

#include <torch/types.h>

#include <string_view>

namespace dailies::trainer::wan_vae {

namespace {

using Layout = pretrained::WanVaeLayout;
using vae::StreamState;

constexpr vae::Kernel kEachPlace{.frames = 1, .side = 1};
// WanRMS_norm divides by the length of the channels, at least 1e-12
constexpr double kFloor = 1e-24;
constexpr auto kLastLevel = Layout::kLevels - 1;

at::Tensor middle(const Params& weights, const std::string& half, std::int64_t width, at::Tensor x,
                  StreamState& memory) {
    const auto name = half + ".mid_block.";
    x = vae::ResidualBlock{width, width, kFloor}(weights, name + "resnets.0", x, memory);
    x = vae::FrameAttention{width, kFloor}(weights, name + "attentions.0", x);
    return vae::ResidualBlock{width, width, kFloor}(weights, name + "resnets.1", x, memory);
}

at::Tensor head(const Params& weights, const std::string& half, const at::Tensor& x, StreamState& memory) {
    return vae::convolution(weights, half + ".conv_out",
                            vae::rmsNormSilu(weights, half + ".norm_out", x, kFloor), {}, memory);
}

/// The blocks of a level: the first takes `inputs` channels.
template <class NameOf>
at::Tensor throughBlocks(const Params& weights, std::size_t count, NameOf nameOf, std::int64_t inputs,
                         std::int64_t outputs, at::Tensor x, StreamState& memory) {
    for (std::size_t i = 0; i < count; ++i)
        x = vae::ResidualBlock{i == 0 ? inputs : outputs, outputs, kFloor}(weights, nameOf(i), x, memory);
    return x;
}

/// Main way and shortcut, which complete the same frames.
at::Tensor sum(const at::Tensor& x, const at::Tensor& shortcut) {
    return x.defined() ? x + shortcut : x;
}

}  // namespace

at::Tensor WanVae::encoderLevel(const Params& weights, std::size_t level, const at::Tensor& x,
                                StreamState& memory) const {
    const auto& widths = m_sizes.encoder;
    const bool last = level == kLastLevel, frames = !last && Layout::kHalvesFrames[level];
    const auto name = [&](std::size_t i) { return Layout::encoderBlock(m_sizes.residual, level, i); };
    auto y = throughBlocks(weights, Layout::kEncoderBlocks, name, widths[level > 0 ? level - 1 : 0],
                           widths[level], x, memory);
    const auto step = Layout::encoderStep(m_sizes.residual, level);
    if (!last) y = downsample(weights, step, y, frames, memory);
    return m_sizes.residual ? sum(y, averaged(x, {widths[level], frames, !last, step + ".shortcut"}, memory))
                            : y;
}

at::Tensor WanVae::decoderBlocks(const Params& weights, std::size_t level, const at::Tensor& x,
                                 StreamState& memory) const {
    const auto& widths = m_sizes.decoder;
    const auto before = widths[level > 0 ? level - 1 : 0];
    const auto inputs = level > 0 && !m_sizes.residual ? before / 2 : before;
    const auto name = [&](std::size_t i) { return Layout::decoderBlock(level, i); };
    return throughBlocks(weights, Layout::kDecoderBlocks, name, inputs, widths[level], x, memory);
}

at::Tensor WanVae::encodeFine(const Params& weights, const at::Tensor& clips, StreamState& memory) const {
    auto x =
        vae::convolution(weights, "encoder.conv_in", m_sizes.residual ? folded(clips) : clips, {}, memory);
    for (std::size_t level = 0; level < kLastLevel; ++level) x = encoderLevel(weights, level, x, memory);
    return x;
}

at::Tensor WanVae::encodeMean(const Params& weights, const at::Tensor& features, StreamState& memory) const {
    auto x = encoderLevel(weights, kLastLevel, features, memory);
    x = head(weights, "encoder", middle(weights, "encoder", m_sizes.encoder.back(), x, memory), memory);
    x = vae::convolution(weights, "quant_conv", x, kEachPlace, memory);
    return x.defined() ? x.chunk(2, 1)[0] : x;  // the other half: logarithms of the variance
}

at::Tensor WanVae::decodeCoarse(const Params& weights, const at::Tensor& latents, StreamState& memory) const {
    auto x = vae::convolution(weights, "post_quant_conv", latents, kEachPlace, memory);
    x = vae::convolution(weights, "decoder.conv_in", x, {}, memory);
    x = middle(weights, "decoder", m_sizes.decoder.front(), x, memory);
    // of 2.2 the shortcut around these blocks goes on past the step behind them
    return m_sizes.residual ? x : decoderBlocks(weights, 0, x, memory);
}

at::Tensor WanVae::decodeFine(const Params& weights, const at::Tensor& features, StreamState& memory) const {
    auto x = features;
    for (std::size_t level = 0; level < Layout::kLevels; ++level) {
        const bool done = level == 0 && !m_sizes.residual;
        auto y = done ? x : decoderBlocks(weights, level, x, memory);
        if (level < kLastLevel) {
            const auto step = Layout::decoderStep(m_sizes.residual, level);
            const bool frames = Layout::kDoublesFrames[level];
            y = upsample(weights, step, y, frames, memory);
            if (m_sizes.residual)
                y = sum(y, repeated(x, {m_sizes.decoder[level], frames, true, step + ".shortcut"}, memory));
        }
        x = y;
    }
    x = head(weights, "decoder", x, memory);
    if (!x.defined()) return x;
    return (m_sizes.residual ? unfolded(x) : x).clamp(-1, 1);
}

std::int64_t WanVae::encoderReach() const {
    constexpr auto kOfBlocks = static_cast<std::int64_t>(2 * Layout::kEncoderBlocks);
    std::int64_t reach = 1;  // of the first convolution
    for (std::size_t level = 0; level < kLastLevel; ++level) reach = (reach + kOfBlocks + 1 + 1) / 2;
    return reach;
}

std::int64_t WanVae::decoderReach() const {
    constexpr auto kOfBlocks = static_cast<std::int64_t>(2 * Layout::kDecoderBlocks);
    std::int64_t reach = m_sizes.residual ? kOfBlocks : 0, scale = 1;
    for (std::size_t level = 0; level < kLastLevel; ++level) {
        reach = 2 * reach + 1 + kOfBlocks;
        scale *= 2;
    }
    return (reach + 1 + scale - 1) / scale;
}

void addPublished(Params& weights, const std::string& name, const at::Tensor& value) {
    auto ours = name;
    for (const auto& [theirs, own] : {std::pair{".gamma", ".gain"},
                                      {".conv_shortcut.", ".shortcut."},
                                      {".to_qkv.", ".qkv."},
                                      {".proj.", ".out."}})
        if (const auto place = ours.find(theirs); place != std::string::npos)
            ours.replace(place, std::string_view(theirs).size(), own);
    const bool matrix = ours.ends_with(".qkv.weight") || ours.ends_with(".out.weight");
    if (ours.ends_with(".gain"))
        weights.add(ours, value.flatten());
    else if (value.dim() == 4)
        weights.add(ours, matrix ? value.flatten(1) : value.unsqueeze(2));
    else
        weights.add(ours, value);
}

}  // namespace dailies::trainer::wan_vae
