#include "trainer/models/dit/dit.h"

#include "core/base/error.h"
#include "trainer/models/dit/cosmos_names.h"
#include "trainer/models/layers/cuda/fused.h"
#include "trainer/models/layers/linear.h"
#include "trainer/models/layers/norms.h"
#include "trainer/models/layers/recompute.h"
#include "trainer/models/layers/time_embedding.h"
#include "trainer/models/layers/with_unsharded.h"

#include <torch/types.h>

namespace dailies::trainer {

namespace {

std::string blockName(std::int64_t index) {
    return "blocks." + std::to_string(index);
}

layers::AttentionShape attentionOf(const config::TrainConfig::Model& model) {
    return {.width = model.width,
            .heads = model.heads,
            .kvHeads = model.kv_heads > 0 ? model.kv_heads : model.heads};
}

/// Sinusoids of the place of each token on every axis, [tokens, width]: where learned positions start from.
at::Tensor sinusoidalPositions(const layers::TokenGrid& grid, std::int64_t width) {
    const auto frequencies =
        at::pow(10000.0, at::arange(width / 6, at::kFloat) * (-6.0 / static_cast<double>(width)));
    const auto token = at::arange(grid.tokensPerClip());
    std::vector<at::Tensor> parts;
    for (const auto& place : {token.floor_divide(grid.tokensPerFrame()),
                              token.floor_divide(grid.columns) % grid.rows, token % grid.columns}) {
        const auto angles = at::outer(place.to(at::kFloat), frequencies);
        parts.push_back(at::sin(angles));
        parts.push_back(at::cos(angles));
    }
    parts.push_back(at::zeros({token.size(0), width - 6 * (width / 6)}));
    return at::cat(parts, -1);
}

}  // namespace

Dit::Dit(const ModelShape& shape, at::Device device)
    : Model(shape),
      m_patches(shape),
      m_grid(m_patches.grid({shape.frames, shape.height, shape.width})),
      m_adaln(shape.model.adaln, shape.model.width, shape.model.adaln_rank, shape.textWidth > 0 ? 3 : 2,
              shape.model.bias),
      m_attention{attentionOf(shape.model)},
      m_mlp{.width = shape.model.width,
            .hidden =
                shape.model.mlp_width > 0 ? shape.model.mlp_width : shape.model.width * shape.model.mlp_ratio,
            .activation = shape.model.activation,
            .bias = shape.model.bias},
      m_rotary({.headWidth = shape.model.width / shape.model.heads,
                .fps = shape.model.rope_fps,
                .timeScale = shape.model.rope_time_scale,
                .spaceScale = shape.model.rope_space_scale},
               device) {
    if (shape.textWidth > 0) m_cross.emplace(layers::CrossAttention{m_attention, shape.textWidth});
}

layers::Span Dit::span(std::int64_t) const {
    return layers::Span::full;
}

void Dit::declareWeights(WeightInitializer& make) const {
    const auto width = shape().model.width;
    const bool bias = shape().model.bias;
    make.linear("patch", width, m_patches.inputChannels(), bias);
    if (shape().model.positions == "learned")
        make.value("positions", {m_grid.tokensPerClip(), width},
                   [&] { return sinusoidalPositions(m_grid, width); });
    m_adaln.declareTime(make);
    if (!hasText()) make.normal("caption.embedding", {shape().captionTokens, width}, 1.0);
    if (shape().readsBytes()) make.linear("caption.pooled", width, shape().textWidth, bias);
    m_adaln.declareShared(make);
    for (std::int64_t i = 0; i < shape().model.depth; ++i) {
        const auto name = blockName(i);
        m_adaln.declareBlock(make, name);
        m_attention.declare(make, name);
        if (m_cross) m_cross->declare(make, name);
        m_mlp.declare(make, name);
    }
    m_adaln.declareFinal(make);
    make.zeroLinear("final", m_patches.outputChannels(), width, bias);
}

class Dit::BlockByBlock : public ModelPass {
public:
    BlockByBlock(const Dit& model, const Params& weights, const ModelInput& input)
        : m_model(model),
          m_weights(weights),
          m_groups(input.groups),
          m_pass(model.passOf(input)),
          m_steering(model.conditioning(weights, input, m_pass->text)) {}

    at::Tensor embedded() const override {
        const auto& layout = m_pass->layout;
        std::vector<at::Tensor> groups;
        for (std::size_t i = 0; i < m_groups.size(); ++i)
            groups.push_back(m_model.embedded(m_weights, m_groups[i], layout, layout.groups()[i]));
        return layout.join(groups);
    }

    std::vector<std::int64_t> tokenSizes() const override {
        return m_pass->layout.sizes(m_model.shape().model.width);
    }

    at::Tensor block(std::int64_t index, const at::Tensor& tokens) const override {
        return layers::withUnsharded(m_weights, blockName(index), [&] {
            return m_model.block(m_weights, index, tokens, m_steering, m_pass);
        });
    }

    std::vector<at::Tensor> output(const at::Tensor& tokens) const override {
        const auto& layout = m_pass->layout;
        const auto last = m_model.m_adaln.last(m_weights, m_steering);
        const auto normed = layers::normModulate(tokens, layout.perToken(last[0]), layout.perToken(last[1]));
        return m_model.m_patches.unpatchify(layout.allGather(layers::fp32Linear(m_weights, "final", normed)),
                                            layout);
    }

private:
    const Dit& m_model;
    const Params& m_weights;
    std::vector<ClipGroup> m_groups;
    std::shared_ptr<const Pass> m_pass;
    layers::AdaLn::Conditioning m_steering;
};

std::unique_ptr<ModelPass> Dit::begin(const Params& weights, const ModelInput& input) const {
    return std::make_unique<BlockByBlock>(*this, weights, input);
}

std::shared_ptr<const Dit::Pass> Dit::passOf(const ModelInput& input) const {
    auto pass = std::make_shared<Pass>(Pass{m_patches.layout(input), {}, {}, {}});
    const auto& layout = pass->layout;
    pass->rope = m_rotary.rope(layout);
    for (std::int64_t i = 0; i < shape().model.depth && !pass->reshardedRope.cos.defined(); ++i)
        if (layout.reshardsSpatially(span(i))) pass->reshardedRope = m_rotary.rope(layout, span(i));
    if (hasText()) pass->text = layers::embeddedText(input.text);
    return pass;
}

layers::AdaLn::Conditioning Dit::conditioning(const Params& weights, const ModelInput& input,
                                              const layers::TextContext& text) const {
    return m_adaln.conditioning(
        weights, layers::timestepEmbedding(input.times * shape().model.time_scale, m_adaln.timeChannels()),
        captionConditioning(weights, input.text, text));
}

at::Tensor Dit::captionConditioning(const Params& weights, const TextInput& words,
                                    const layers::TextContext& text) const {
    if (!hasText()) return layers::wordSum(words, weights["caption.embedding"]);
    if (!shape().readsBytes()) return {};
    return layers::fp32Linear(weights, "caption.pooled", layers::pooledText(text));
}

at::Tensor Dit::embedded(const Params& weights, const ClipGroup& group, const layers::SequenceLayout& layout,
                         const layers::TokenGrid& grid) const {
    const auto tokens = layers::fp32Linear(weights, "patch", layout.own(m_patches.patchify(group), 1));
    if (shape().model.positions != "learned") return tokens;
    if (grid.frames != m_grid.frames || grid.rows != m_grid.rows || grid.columns != m_grid.columns)
        throw Error("model.positions learned fits clips of one size, " + std::to_string(shape().frames) +
                        " × " + std::to_string(shape().height) + " × " + std::to_string(shape().width) +
                        ", and the data has others.",
                    "Set model.positions to none: rotary positions fit clips of every size.");
    return tokens + layout.own(weights["positions"], 0);
}

at::Tensor Dit::block(const Params& weights, std::int64_t index, const at::Tensor& tokens,
                      const layers::AdaLn::Conditioning& conditioning,
                      const std::shared_ptr<const Pass>& pass) const {
    const auto name = blockName(index);
    // of each sub-layer in turn: shift, scale and gate; a piece of a block may run twice, see recompute.h
    std::vector<at::Tensor> inputs = {tokens, pass->text.tokens};
    for (const auto& row : m_adaln.block(weights, name, conditioning)) inputs.push_back(row);

    // [clips, width] each, from the inputs' third on
    const auto row = [pass](const std::vector<at::Tensor>& in, std::size_t i) {
        return pass->layout.perToken(in[2 + i]);
    };
    const auto attention = [this, &weights, name, index, pass, row](const std::vector<at::Tensor>& in) {
        const auto& layout = pass->layout;
        const auto& rope = layout.reshardsSpatially(span(index)) ? pass->reshardedRope : pass->rope;
        const auto own = m_attention(weights, name, fused::normModulate(in[0], row(in, 0), row(in, 1)),
                                     layout, span(index), rope);
        if (!m_cross) return fused::gatedResidual(in[0], own, row(in, 2));
        const auto [attended, normed] =
            fused::gatedResidualNormModulate(in[0], own, row(in, 2), row(in, 3), row(in, 4));
        const auto read = (*m_cross)(weights, name, normed, layout, {in[1], pass->text.mask});
        return fused::gatedResidual(attended, read, row(in, 5));
    };
    const auto mlp = [this, &weights, name, row](const std::vector<at::Tensor>& in) {
        const auto first = in.size() - 5;
        const auto change =
            m_mlp(weights, name, fused::normModulate(in[0], row(in, first), row(in, first + 1)));
        return fused::gatedResidual(in[0], change, row(in, first + 2));
    };
    return layers::runBlock(shape().model.recompute, attention, mlp, inputs);
}

std::int64_t Dit::tokensPerClip(const ClipSize& size) const {
    return m_patches.grid(size).tokensPerClip();
}

Flops Dit::flops(const ClipSize& size, std::int64_t textTokens) const {
    const auto grid = m_patches.grid(size);
    const auto tokens = grid.tokensPerClip(), width = shape().model.width;
    Flops flops;
    for (std::int64_t i = 0; i < shape().model.depth; ++i) {
        flops.blocks += m_attention.flops(tokens) + m_mlp.flops(tokens);
        flops.attention += m_attention.attentionFlops(tokens, layers::spanTokens(grid, span(i)));
        flops.rest += m_adaln.blockFlops();
        if (!m_cross) continue;
        flops.blocks += m_cross->flops(tokens);
        flops.text += m_cross->textFlops(textTokens) + m_cross->attentionFlops(tokens, textTokens);
        flops.atInputs += m_cross->textFlops(textTokens);
    }
    const auto patchesIn = 2 * tokens * m_patches.inputChannels() * width;
    const auto caption = hasText() ? 0 : 2 * shape().captionTokens * width;
    const auto pooled = shape().readsBytes() ? 2 * shape().textWidth * width : 0;
    flops.rest += patchesIn + caption + pooled + m_adaln.sharedFlops() +
                  2 * tokens * width * m_patches.outputChannels();
    flops.atInputs += patchesIn + caption + m_adaln.flopsAtSinusoids();
    return flops;
}

std::vector<TpRule> Dit::tpPlan() const {
    const auto width = shape().model.width, keys = m_attention.kvWidth();
    return {
        // by heads
        {"blocks.*.qkv", TpStyle::columnwise, {width, keys, keys}},
        {"blocks.*.attention_out", TpStyle::rowwise},
        {"blocks.*.cross.query", TpStyle::columnwise},
        {"blocks.*.cross.key_value", TpStyle::columnwise, {keys, keys}},
        {"blocks.*.cross.out", TpStyle::rowwise},
        {"blocks.*.mlp_in", TpStyle::columnwise},
        {"blocks.*.mlp_out", TpStyle::rowwise},
        // modulation, whichever kind: a third of all weights where each block has its own
        {"modulation", TpStyle::columnwise},
        {"blocks.*.modulation", TpStyle::columnwise},
        {"blocks.*.adaln.*.up", TpStyle::columnwise},
        {"final.modulation", TpStyle::columnwise},
        {"final.adaln.up", TpStyle::columnwise},
    };
}

std::vector<DiffusersWeight> Dit::diffusersWeights() const {
    return cosmosNames(shape());
}

Json Dit::diffusersConfig() const {
    return cosmosConfig(shape());
}

}  // namespace dailies::trainer
