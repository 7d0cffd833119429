#include "trainer/tokenizers/ltx_vae/ltx_vae.h"

#include "trainer/models/layers/time_embedding.h"
#include "trainer/tensors/random.h"
#include "trainer/tensors/random_tensor.h"

#include <torch/types.h>

namespace dailies::trainer::ltx_vae {

namespace {

using Sizes = pretrained::LtxVaeSizes;

constexpr std::int64_t kFrames = 2;         // axis
constexpr double kPixelNormEpsilon = 1e-8;  // of norms without gains
constexpr double kShortcutNormEpsilon = 1e-6;
constexpr std::int64_t kTimeChannels = 256;
constexpr std::int64_t kRows = 4;  // shift and scale of a block's two norms

/// What a part of the network is told, and which way it looks.
struct Way {
    bool causal = false;
    at::Tensor noise = {};  ///< [1]: level of noise, 0 … 1000; undefined where nothing is told of it
    at::Tensor rows = {};   ///< [1, 4 · width]: what the blocks of a level make of it
};

/// The first frame stands before itself, and where the way looks ahead the last behind.
at::Tensor convolution(const Params& weights, const std::string& name, const at::Tensor& x, const Way& way,
                       at::IntArrayRef strides = {1, 1, 1}) {
    const auto& weight = weights[name + ".conv.weight"];
    const auto frames = weight.size(2), side = weight.size(3) / 2;
    auto padded = x;
    if (frames > 1) {
        const auto first = x.slice(kFrames, 0, 1);
        std::vector<at::Tensor> parts((way.causal ? frames - 1 : frames / 2), first);
        parts.push_back(x);
        if (!way.causal) parts.insert(parts.end(), frames / 2, x.slice(kFrames, x.size(kFrames) - 1));
        padded = at::cat(parts, kFrames);
    }
    return at::conv3d(padded, weight, weights[name + ".conv.bias"], strides, {0, side, side});
}

at::Tensor pixelNorm(const at::Tensor& x) {
    return x * (x.square().mean(1, /*keepdim=*/true) + kPixelNormEpsilon).rsqrt();
}

/// [1, n · width] → n of [1, width, 1, 1, 1].
std::vector<at::Tensor> rowsOf(const at::Tensor& told, const at::Tensor& table) {
    const auto rows = told.view({1, table.size(0), table.size(1)}) + table.unsqueeze(0);
    return rows.view({1, table.size(0), table.size(1), 1, 1, 1}).unbind(1);
}

at::Tensor modulated(const at::Tensor& x, const at::Tensor& shift, const at::Tensor& scale) {
    return x * (1 + scale) + shift;
}

/// Noise of a picture, the same for all channels and frames, which each channel takes its own part of. Drawn
/// by name and size, so that a clip is decoded alike each time.
at::Tensor withNoise(const Params& weights, const std::string& name, const at::Tensor& x) {
    if (!weights.contains(name)) return x;
    const auto drawn = normalTensor(hashText(name), {x.size(3), x.size(4)}).to(x.options());
    return x + (drawn * weights[name]).unsqueeze(1);
}

at::Tensor residualBlock(const Params& weights, const std::string& name, const at::Tensor& x,
                         const Way& way) {
    const auto table = name + ".scale_shift_table";
    const auto rows = weights.contains(table) ? rowsOf(way.rows, weights[table]) : std::vector<at::Tensor>();
    auto y = pixelNorm(x);
    if (!rows.empty()) y = modulated(y, rows[0], rows[1]);
    y = withNoise(weights, name + ".per_channel_scale1",
                  convolution(weights, name + ".conv1", at::silu(y), way));
    y = pixelNorm(y);
    if (!rows.empty()) y = modulated(y, rows[2], rows[3]);
    y = withNoise(weights, name + ".per_channel_scale2",
                  convolution(weights, name + ".conv2", at::silu(y), way));
    const auto norm = name + ".norm3";
    if (!weights.contains(norm + ".weight")) return y + x;
    const auto normed = at::layer_norm(x.movedim(1, -1), {x.size(1)}, weights[norm + ".weight"],
                                       weights[norm + ".bias"], kShortcutNormEpsilon)
                            .movedim(-1, 1);
    return y + convolution(weights, name + ".conv_shortcut", normed, way);
}

at::Tensor throughBlocks(const Params& weights, const std::string& name, std::int64_t count, at::Tensor x,
                         const Way& way) {
    for (std::int64_t i = 0; i < count; ++i)
        x = residualBlock(weights, name + "resnets." + std::to_string(i), x, way);
    return x;
}

/// Neighbours in time and place as channels, in the order channel, frame, row, column.
at::Tensor folded(const at::Tensor& x, const Extents& strides) {
    const auto s = x.sizes().vec();
    return x
        .reshape({s[0], s[1], s[2] / strides[0], strides[0], s[3] / strides[1], strides[1], s[4] / strides[2],
                  strides[2]})
        .permute({0, 1, 3, 5, 7, 2, 4, 6})
        .flatten(1, 4);
}

at::Tensor unfolded(const at::Tensor& x, const Extents& strides) {
    const auto s = x.sizes().vec();
    return x.reshape({s[0], -1, strides[0], strides[1], strides[2], s[2], s[3], s[4]})
        .permute({0, 1, 5, 2, 6, 3, 7, 4})
        .flatten(6, 7)
        .flatten(4, 5)
        .flatten(2, 3);
}

/// Squares of pixels as channels, in the order colour, column, row; and back.
at::Tensor patches(const at::Tensor& pixels) {
    const auto s = pixels.sizes().vec();
    constexpr auto side = Sizes::kPatch;
    return pixels.reshape({s[0], s[1], s[2], s[3] / side, side, s[4] / side, side})
        .permute({0, 1, 6, 4, 2, 3, 5})
        .flatten(1, 3);
}

at::Tensor pixelsOf(const at::Tensor& patches) {
    const auto s = patches.sizes().vec();
    constexpr auto side = Sizes::kPatch;
    return patches.reshape({s[0], -1, side, side, s[2], s[3], s[4]})
        .permute({0, 1, 4, 5, 3, 6, 2})
        .flatten(5, 6)
        .flatten(3, 4);
}

at::Tensor down(const Params& weights, const std::string& name, const Sizes::Down& level, const at::Tensor& x,
                const Way& way) {
    const auto step = name + "downsamplers.0";
    if (!level.folds) return convolution(weights, step, x, way, level.strides);
    // the first frame alone becomes one
    const auto whole = at::cat({x.slice(kFrames, 0, level.strides[0] - 1), x}, kFrames);
    const auto shortcut = folded(whole, level.strides).unflatten(1, {level.outputs, -1}).mean(2);
    return folded(convolution(weights, step + ".conv", whole, way), level.strides) + shortcut;
}

at::Tensor doubled(const Params& weights, const std::string& name, const Sizes::Up& level,
                   const at::Tensor& x, const Way& way) {
    static const Extents strides = {2, 2, 2};
    // and one frame of latents alone becomes one
    const auto withoutFirst = [](const at::Tensor& all) { return all.slice(kFrames, strides[0] - 1); };
    const auto larger =
        withoutFirst(unfolded(convolution(weights, name + "upsamplers.0.conv", x, way), strides));
    if (level.factor == 1) return larger;
    const auto shortcut = unfolded(x, strides);
    return larger + withoutFirst(shortcut.repeat({1, larger.size(1) / shortcut.size(1), 1, 1, 1}));
}

at::Tensor timeEmbedding(const Params& weights, const std::string& name, const at::Tensor& noise) {
    const auto layer = [&](const std::string& place, const at::Tensor& x) {
        return at::linear(x, weights[name + place + ".weight"], weights[name + place + ".bias"]);
    };
    const std::string embedder = "time_embedder.timestep_embedder.linear_";
    const auto sinusoids = layers::timestepEmbedding(noise, kTimeChannels).to(noise.scalar_type());
    return layer(embedder + "2", at::silu(layer(embedder + "1", sinusoids)));
}

/// The way through the blocks of a level.
Way within(const Params& weights, const std::string& name, const Way& way) {
    auto inside = way;
    if (way.noise.defined()) inside.rows = timeEmbedding(weights, name, way.noise);
    return inside;
}

}  // namespace

at::Tensor LtxVae::encodeMean(const Params& weights, const at::Tensor& clips) const {
    const Way way{.causal = true};
    auto x = convolution(weights, "encoder.conv_in", patches(clips), way);
    for (std::size_t i = 0; i < m_sizes.encoder.size(); ++i) {
        const auto& level = m_sizes.encoder[i];
        const auto name = "encoder.down_blocks." + std::to_string(i) + ".";
        x = throughBlocks(weights, name, level.blocks, x, way);
        if (!level.strides.empty()) x = down(weights, name, level, x, way);
        if (!level.folds && level.outputs != level.width)
            x = residualBlock(weights, name + "conv_out", x, way);
    }
    x = throughBlocks(weights, "encoder.mid_block.", m_sizes.encoderBlocks, x, way);
    x = convolution(weights, "encoder.conv_out", at::silu(pixelNorm(x)), way);
    return x.slice(1, 0, m_sizes.latents);
}

at::Tensor LtxVae::decode(const Params& weights, const at::Tensor& latents, double noise) const {
    Way way;
    if (m_sizes.timed)
        way.noise = noise * weights["decoder.timestep_scale_multiplier"].reshape({1}).to(latents.options());
    auto x = convolution(weights, "decoder.conv_in", latents, way);
    x = throughBlocks(weights, "decoder.mid_block.", m_sizes.decoderBlocks, x,
                      within(weights, "decoder.mid_block.", way));
    for (std::size_t i = 0; i < m_sizes.decoder.size(); ++i) {
        const auto& level = m_sizes.decoder[i];
        const auto name = "decoder.up_blocks." + std::to_string(i) + ".";
        const auto inside = within(weights, name, way);
        if (level.inputs != level.width) x = residualBlock(weights, name + "conv_in", x, inside);
        if (level.doubles) x = doubled(weights, name, level, x, way);
        x = throughBlocks(weights, name, level.blocks, x, inside);
    }
    x = pixelNorm(x);
    if (m_sizes.timed) {
        const auto rows =
            rowsOf(timeEmbedding(weights, "decoder.", way.noise), weights["decoder.scale_shift_table"]);
        x = modulated(x, rows[0], rows[1]);
    }
    return pixelsOf(convolution(weights, "decoder.conv_out", at::silu(x), way));
}

}  // namespace dailies::trainer::ltx_vae
