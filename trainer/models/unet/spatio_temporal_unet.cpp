#include "trainer/models/unet/spatio_temporal_unet.h"

#include "core/base/error.h"
#include "trainer/models/layers/convolution.h"
#include "trainer/models/layers/geglu.h"
#include "trainer/models/layers/linear.h"
#include "trainer/models/layers/norms.h"
#include "trainer/models/layers/projected_attention.h"
#include "trainer/models/layers/recompute.h"
#include "trainer/models/layers/residual_block.h"
#include "trainer/models/layers/time_embedding.h"
#include "trainer/models/layers/time_residual.h"
#include "trainer/models/unet/levels_pass.h"
#include "trainer/models/unet/picture_transformer.h"

#include <torch/types.h>

#include <algorithm>

namespace dailies::trainer::unet {

namespace {

/// diffusers: unet_3d_blocks.py has another epsilon for the blocks that do not attend on the way down.
constexpr double kAttendingEpsilon = 1e-6, kPlainEpsilon = 1e-5;

/// What a layer over time changed of what it was given, by the learned share of it.
at::Tensor mixed(const Params& weights, const std::string& name, const at::Tensor& given,
                 const at::Tensor& change) {
    return given + at::sigmoid(-weights[name + ".time_mixer.mix_factor"]) * change;
}

}  // namespace

SpatioTemporalUnet::SpatioTemporalUnet(const SpatioTemporalSizes& sizes, std::string prefix)
    : m_sizes(sizes), m_prefix(std::move(prefix)) {
    for (const auto width : sizes.levels.channels)
        for (const auto& [parts, called] :
             {std::pair{sizes.headWidth, "channels of a head"}, std::pair{sizes.groups, "groups of a norm"}})
            if (width % parts != 0)
                throw InputError("The U-Net has " + std::to_string(width) + " channels, which its " +
                                     std::to_string(parts) + " " + called + " do not divide.",
                                 "Keep the config.json beside its weights, which tells them.");
}

void SpatioTemporalUnet::declareWeights(WeightInitializer& make) const {
    make.layers(spatioTemporalTensors(m_sizes), m_prefix, [](const std::string& name) {
        return name.find(".temporal_res_block.conv2.") != std::string::npos || name.ends_with(".mix_factor");
    });
}

/// A residual block, and the transformer behind it: by their names, empty where there is none. Holds nothing
/// of the pass that it is of, which is over when the backward pass computes it again.
struct SpatioTemporalUnet::Block {
    const SpatioTemporalSizes& sizes;
    const Params& weights;
    std::int64_t frames;
    std::string residual, attention;
    double epsilon;

    /// `inputs`: pictures [clips · frames, channels, rows, columns], further channels of them, the noise
    /// level, and the context.
    at::Tensor operator()(const std::vector<at::Tensor>& inputs) const {
        auto x = inputs[1].defined() ? at::cat({inputs[0], inputs[1]}, 1) : inputs[0];
        x = layers::ResidualBlock{norm(epsilon)}(weights, residual + ".spatial_res_block", x, inputs[2]);
        x = mixed(weights, residual, x,
                  layers::TimeResidual{norm(epsilon)}(weights, residual + ".temporal_res_block", x, frames,
                                                      inputs[2]));
        return attention.empty() ? x : attended(x, inputs[3]);
    }

private:
    layers::GroupNorm norm(double withEpsilon) const { return {sizes.groups, withEpsilon}; }

    /// BasicTransformerBlock: `x` [rows, tokens, channels], of which those of a clip follow each other.
    at::Tensor throughBlock(const std::string& name, at::Tensor x, const at::Tensor& context) const {
        const layers::ProjectedAttention attend{.heads = x.size(2) / sizes.headWidth};
        const auto own = normed(name + ".norm1", x);
        x = x + attend(weights, name + ".attn1", own, own);
        if (context.defined()) {
            const auto queries = normed(name + ".norm2", x).reshape({context.size(0), -1, x.size(2)});
            x = x + attend(weights, name + ".attn2", queries, context).view(x.sizes());
        }
        return x + layers::geglu(weights, name + ".ff", normed(name + ".norm3", x));
    }

    at::Tensor attended(const at::Tensor& pictures, const at::Tensor& context) const {
        const auto tokens =
            norm(kTransformerNormEpsilon)(weights, attention + ".norm", pictures).flatten(2).transpose(1, 2);
        const auto seen = throughBlock(attention + ".transformer_blocks.0",
                                       layers::linear(weights, attention + ".proj_in", tokens), context);
        const auto width = seen.size(2), places = seen.size(1);
        const auto positions = layers::embedding(
            weights, attention + ".time_pos_embed",
            layers::timestepEmbedding(at::arange(frames, seen.options().dtype(at::kFloat)), width)
                .to(weights[attention + ".time_pos_embed.linear_1.weight"].scalar_type()));
        // [clips, frames, places, channels] → [clips · places, frames, channels]
        const auto byFrame = seen.view({-1, frames, places, width});
        auto x = (byFrame + positions.unsqueeze(1)).transpose(1, 2).reshape({-1, frames, width});
        const auto inTime = attention + ".temporal_transformer_blocks.0";
        x = x + layers::geglu(weights, inTime + ".ff_in", normed(inTime + ".norm_in", x));
        x = throughBlock(inTime, x, context);
        const auto back = x.view({-1, places, frames, width}).transpose(1, 2).reshape(seen.sizes());
        const auto made =
            layers::linear(weights, attention + ".proj_out", mixed(weights, attention, seen, back - seen));
        return pictures + made.transpose(1, 2).reshape(pictures.sizes());
    }

    at::Tensor normed(const std::string& name, const at::Tensor& x) const {
        return layers::layerNorm(weights, name, x, kLayerNormEpsilon);
    }
};

/// One pass over the pictures of a batch, [clips · frames, channels, rows, columns].
class SpatioTemporalUnet::Pass : private LevelsPass {
public:
    Pass(const SpatioTemporalUnet& unet, const Params& weights, const SpatioTemporalInput& input)
        : LevelsPass(unet.m_sizes.levels, weights, unet.m_prefix),
          m_sizes(unet.m_sizes),
          m_input(input),
          m_frames(input.latents.size(2)) {
        const auto& sizes = unet.m_sizes;
        const auto type = weights[named("time_embedding.linear_1.weight")].scalar_type();
        const auto sinusoids = [&](const at::Tensor& numbers, std::int64_t channels) {
            return layers::timestepEmbedding(numbers, channels).to(type);
        };
        const auto labels =
            sinusoids(input.labels.flatten(), sizes.labelWidth).view({input.times.size(0), -1});
        m_time = at::silu(layers::embedding(weights, named("time_embedding"),
                                            sinusoids(input.times, sizes.levels.channels.front())) +
                          layers::embedding(weights, named("add_embedding"), labels));
    }

    at::Tensor output() {
        auto x = layers::convolution(weights(), named("conv_in"), pictures(m_input.latents));
        if (m_input.added.defined()) x = x + pictures(m_input.added);
        const layers::GroupNorm norm{m_sizes.groups, kPlainEpsilon};
        x = at::silu(norm(weights(), named("conv_norm_out"), throughLevels(x)));
        return layers::convolution(weights(), named("conv_out"), x)
            .unflatten(0, {-1, m_frames})
            .transpose(1, 2);
    }

private:
    static at::Tensor pictures(const at::Tensor& clips) { return clips.transpose(1, 2).flatten(0, 1); }

    at::Tensor through(const std::string& residual, const std::string& attention, double epsilon,
                       const at::Tensor& x, const at::Tensor& skipped = {}) const {
        const Block block{
            m_sizes, weights(), m_frames, named(residual), attention.empty() ? "" : named(attention),
            epsilon};
        const std::vector<at::Tensor> inputs{x, skipped, m_time, m_input.context};
        // autograd sees no weights behind inputs without gradients: the first blocks of a net whose other
        // weights are frozen
        const bool again = m_input.recompute && std::ranges::any_of(inputs, [](const at::Tensor& input) {
                               return input.defined() && input.requires_grad();
                           });
        return again ? layers::withRecompute(block, inputs) : block(inputs);
    }

    at::Tensor block(const LevelBlock& at, const at::Tensor& x, const at::Tensor& skipped) override {
        const bool plain = !at.attends && !skipped.defined();
        return through(at.part("resnets"), at.attends ? at.part("attentions") : "",
                       plain ? kPlainEpsilon : kAttendingEpsilon, x, skipped);
    }

    at::Tensor middle(const at::Tensor& x) override {
        return through("mid_block.resnets.1", "", kPlainEpsilon,
                       through("mid_block.resnets.0", "mid_block.attentions.0", kPlainEpsilon, x));
    }

    const SpatioTemporalSizes& m_sizes;
    const SpatioTemporalInput& m_input;
    std::int64_t m_frames;
    at::Tensor m_time;  ///< [clips, timeWidth], behind SiLU
};

at::Tensor SpatioTemporalUnet::operator()(const Params& weights, const SpatioTemporalInput& input) const {
    return Pass(*this, weights, input).output();
}

}  // namespace dailies::trainer::unet
