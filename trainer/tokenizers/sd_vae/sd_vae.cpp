#include "trainer/tokenizers/sd_vae/sd_vae.h"

#include "core/base/error.h"
#include "trainer/models/layers/convolution.h"
#include "trainer/models/layers/linear.h"
#include "trainer/models/layers/residual_block.h"
#include "trainer/models/layers/time_residual.h"

#include <torch/types.h>

namespace dailies::trainer::sd_vae {

namespace {

constexpr double kTimeNormEpsilon = 1e-5;  // of the blocks over time; of all others 1e-6
constexpr layers::Stride kHalvesPicture{.places = 2, .padded = false};

/// Attention among the places of a picture, with one head.
at::Tensor pictureAttention(const Params& weights, const std::string& name, const layers::GroupNorm& norm,
                            const at::Tensor& x) {
    const auto places = norm(weights, name + ".group_norm", x).flatten(2).transpose(1, 2);
    const auto through = [&](const char* matrix) {
        return layers::linear(weights, name + matrix, places).unsqueeze(1);
    };
    const auto mixed =
        at::scaled_dot_product_attention(through(".to_q"), through(".to_k"), through(".to_v")).squeeze(1);
    return x + layers::linear(weights, name + ".to_out.0", mixed).transpose(1, 2).reshape(x.sizes());
}

template <class Block>
at::Tensor pictureMiddle(const Params& weights, const std::string& half, const layers::GroupNorm& norm,
                         const Block& block, at::Tensor x) {
    const auto name = half + ".mid_block.";
    x = block(name + "resnets.0", x);
    x = pictureAttention(weights, name + "attentions.0", norm, x);
    return block(name + "resnets.1", x);
}

at::Tensor pictureHead(const Params& weights, const std::string& half, const layers::GroupNorm& norm,
                       const at::Tensor& x) {
    return layers::convolution(weights, half + ".conv_out",
                               at::silu(norm(weights, half + ".conv_norm_out", x)));
}

}  // namespace

SdVae::SdVae(const pretrained::SdVaeSizes& sizes) : m_sizes(sizes) {
    for (const auto width : sizes.channels)
        if (width % sizes.groups != 0)
            throw InputError("The VAE has " + std::to_string(width) + " channels, which its " +
                                 std::to_string(sizes.groups) + " groups of a norm do not divide.",
                             "Keep the config.json beside its weights, which tells norm_num_groups.");
}

at::Tensor SdVae::encodeMean(const Params& weights, const at::Tensor& pictures) const {
    const layers::GroupNorm norm{.groups = m_sizes.groups};
    const auto block = [&](const std::string& name, const at::Tensor& x) {
        return layers::ResidualBlock{norm}(weights, name, x);
    };
    auto x = layers::convolution(weights, "encoder.conv_in", pictures);
    for (std::size_t level = 0; level < m_sizes.channels.size(); ++level) {
        const auto name = "encoder.down_blocks." + std::to_string(level);
        for (std::int64_t i = 0; i < m_sizes.blocks; ++i)
            x = block(name + ".resnets." + std::to_string(i), x);
        if (level + 1 < m_sizes.channels.size())  // black right and below only
            x = layers::convolution(weights, name + ".downsamplers.0.conv",
                                    at::constant_pad_nd(x, {0, 1, 0, 1}), kHalvesPicture);
    }
    x = pictureMiddle(weights, "encoder", norm, block, x);
    x = pictureHead(weights, "encoder", norm, x);
    if (m_sizes.quantConvolutions) x = layers::convolution(weights, "quant_conv", x);
    return x.chunk(2, 1)[0];  // the other half: logarithms of the variance
}

at::Tensor SdVae::decode(const Params& weights, const at::Tensor& latents, std::int64_t frames) const {
    const layers::GroupNorm norm{.groups = m_sizes.groups};
    const layers::TimeResidual inTime{{.groups = m_sizes.groups, .epsilon = kTimeNormEpsilon}};
    const auto block = [&](const std::string& name, const at::Tensor& given) {
        if (!m_sizes.decodesOverTime) return layers::ResidualBlock{norm}(weights, name, given);
        const auto seen = layers::ResidualBlock{norm}(weights, name + ".spatial_res_block", given);
        const auto share = at::sigmoid(weights[name + ".time_mixer.mix_factor"]);
        return seen + share * inTime(weights, name + ".temporal_res_block", seen, frames);
    };
    const bool leaves = m_sizes.quantConvolutions && !m_sizes.decodesOverTime;
    auto x = leaves ? layers::convolution(weights, "post_quant_conv", latents) : latents;
    x = layers::convolution(weights, "decoder.conv_in", x);
    x = pictureMiddle(weights, "decoder", norm, block, x);
    for (std::size_t level = 0; level < m_sizes.channels.size(); ++level) {
        const auto name = "decoder.up_blocks." + std::to_string(level);
        for (std::int64_t i = 0; i < m_sizes.blocks + 1; ++i)
            x = block(name + ".resnets." + std::to_string(i), x);
        if (level + 1 < m_sizes.channels.size())
            x = layers::convolution(weights, name + ".upsamplers.0.conv",
                                    at::upsample_nearest2d(x, {2 * x.size(2), 2 * x.size(3)}));
    }
    x = pictureHead(weights, "decoder", norm, x);
    if (!m_sizes.decodesOverTime) return x;
    const auto clips = x.unflatten(0, {-1, frames}).transpose(1, 2).flatten(3);
    return layers::timeConvolution(weights, "decoder.time_conv_out", clips)
        .transpose(1, 2)
        .reshape(x.sizes());
}

void addPublished(Params& weights, const std::string& name, const at::Tensor& value) {
    const bool matrix = name.find(".attentions.") != std::string::npos && value.dim() == 4;
    weights.add(name, matrix ? value.flatten(1) : value);
}

}  // namespace dailies::trainer::sd_vae
