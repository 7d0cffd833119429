#include "trainer/models/ltx/ltx.h"

#include "trainer/models/layers/cuda/fused.h"
#include "trainer/models/layers/linear.h"
#include "trainer/models/layers/norms.h"
#include "trainer/models/layers/recompute.h"
#include "trainer/models/layers/with_unsharded.h"
#include "trainer/models/ltx/ltx_rope.h"

#include <torch/types.h>

namespace dailies::trainer {

namespace {

constexpr double kHeadNormEpsilon = 1e-5;  // of queries and keys; other norms have 1e-6

std::string ltxBlock(std::int64_t index) {
    return "blocks." + std::to_string(index);
}

layers::AttentionShape ltxAttention(const config::TrainConfig::Model& model) {
    return {.width = model.width,
            .heads = model.heads,
            .kvHeads = model.heads,
            .normAcrossHeads = true,
            .bias = true,
            .normEpsilon = kHeadNormEpsilon};
}

}  // namespace

Ltx::Ltx(const ModelShape& shape, at::Device device)
    : Model(shape),
      m_patches(shape),
      m_modulation(shape.model.width, shape.model.time_scale),
      m_attention{ltxAttention(shape.model)},
      m_cross{ltxAttention(shape.model), shape.model.width},
      m_mlp{.width = shape.model.width,
            .hidden =
                shape.model.mlp_width > 0 ? shape.model.mlp_width : shape.model.width * shape.model.mlp_ratio,
            .activation = shape.model.activation,
            .bias = true},
      m_rotary(ltxRotary(shape, device)) {}

void Ltx::declareWeights(WeightInitializer& make) const {
    const auto width = shape().model.width;
    make.linear("patch", width, m_patches.inputChannels(), true);
    m_modulation.declareShared(make);
    if (shape().textWidth > 0) {
        make.linear("text.in", width, shape().textWidth, true);
        make.linear("text.out", width, width, true);
    } else {
        make.normal("caption.embedding", {shape().captionTokens, width}, 1.0);
    }
    for (std::int64_t i = 0; i < shape().model.depth; ++i) {
        const auto name = ltxBlock(i);
        m_modulation.declareBlock(make, name);
        m_attention.declare(make, name);
        m_cross.declare(make, name);
        m_mlp.declare(make, name);
    }
    m_modulation.declareFinal(make);
    make.zeroLinear("final", m_patches.outputChannels(), width, true);
}

class Ltx::BlockByBlock : public ModelPass {
public:
    BlockByBlock(const Ltx& model, const Params& weights, const ModelInput& input)
        : m_model(model), m_weights(weights), m_groups(input.groups) {
        const auto layout = model.m_patches.layout(input);
        m_pass = std::make_shared<Pass>(Pass{layout, model.m_rotary.rope(layout),
                                             model.context(weights, input.text),
                                             model.m_patches.givenTokens(m_groups, layout)});
        m_levels = model.m_modulation.levels(weights, input.times, m_pass->clean);
    }

    at::Tensor embedded() const override {
        return m_model.m_patches.embedded(m_weights, m_groups, m_pass->layout);
    }

    std::vector<std::int64_t> tokenSizes() const override {
        return m_pass->layout.sizes(m_model.shape().model.width);
    }

    at::Tensor block(std::int64_t index, const at::Tensor& tokens) const override {
        return layers::withUnsharded(m_weights, ltxBlock(index), [&] {
            return m_model.block(m_weights, index, tokens, m_levels, m_pass);
        });
    }

    std::vector<at::Tensor> output(const at::Tensor& tokens) const override {
        const auto& layout = m_pass->layout;
        const auto normed = layers::NoiseModulation::finalNorm(m_weights, m_levels, layout, tokens);
        return m_model.m_patches.unpatchify(layout.allGather(layers::fp32Linear(m_weights, "final", normed)),
                                            layout);
    }

private:
    const Ltx& m_model;
    const Params& m_weights;
    std::vector<ClipGroup> m_groups;
    std::shared_ptr<const Pass> m_pass;
    layers::NoiseModulation::Levels m_levels;
};

std::unique_ptr<ModelPass> Ltx::begin(const Params& weights, const ModelInput& input) const {
    return std::make_unique<BlockByBlock>(*this, weights, input);
}

layers::TextContext Ltx::context(const Params& weights, const TextInput& text) const {
    if (shape().textWidth == 0) return layers::wordTokens(text, weights["caption.embedding"]);
    return layers::projectedText(weights, layers::embeddedText(text));
}

at::Tensor Ltx::block(const Params& weights, std::int64_t index, const at::Tensor& tokens,
                      const layers::NoiseModulation::Levels& levels,
                      const std::shared_ptr<const Pass>& pass) const {
    using layers::NoiseModulation;
    const auto name = ltxBlock(index);
    constexpr std::size_t kFirstRow = 2;
    std::vector<at::Tensor> inputs = {tokens, pass->text.tokens};
    const auto rows = NoiseModulation::blockRows(weights, name, levels);
    inputs.insert(inputs.end(), rows.begin(), rows.end());
    const auto rowOf = [pass](const std::vector<at::Tensor>& in, std::size_t i) {
        return NoiseModulation::perToken(pass->layout, pass->clean, NoiseModulation::row(in, kFirstRow, i));
    };

    const auto attention = [this, &weights, name, pass, rowOf](const std::vector<at::Tensor>& in) {
        const auto& layout = pass->layout;
        const auto own =
            m_attention(weights, name, layers::rmsNormModulate(in[0], rowOf(in, 0), rowOf(in, 1)), layout,
                        layers::Span::full, pass->rope);
        const auto attended = fused::gatedResidual(in[0], own, rowOf(in, 2));
        return attended + m_cross(weights, name, attended, layout, {in[1], pass->text.mask});
    };
    const auto mlp = [this, &weights, name, rowOf](const std::vector<at::Tensor>& in) {
        const auto normed = layers::rmsNormModulate(in[0], rowOf(in, 3), rowOf(in, 4));
        return fused::gatedResidual(in[0], m_mlp(weights, name, normed), rowOf(in, 5));
    };
    return layers::runBlock(shape().model.recompute, attention, mlp, inputs);
}

std::int64_t Ltx::tokensPerClip(const ClipSize& size) const {
    return m_patches.grid(size).tokensPerClip();
}

Flops Ltx::flops(const ClipSize& size, std::int64_t textTokens) const {
    const auto tokens = tokensPerClip(size), width = shape().model.width, depth = shape().model.depth;
    const bool words = shape().textWidth == 0;
    if (words) textTokens = shape().captionTokens;
    Flops flops;
    flops.blocks = depth * (m_attention.flops(tokens) + m_cross.flops(tokens) + m_mlp.flops(tokens));
    flops.attention = depth * m_attention.attentionFlops(tokens, tokens);
    flops.text = depth * (m_cross.textFlops(textTokens) + m_cross.attentionFlops(tokens, textTokens));

    const auto patchesIn = 2 * tokens * m_patches.inputChannels() * width;
    const auto textIn = words ? 0 : 2 * textTokens * shape().textWidth * width;
    const auto textOut = words ? 0 : 2 * textTokens * width * width;
    flops.rest =
        patchesIn + m_modulation.flops() + textIn + textOut + 2 * tokens * width * m_patches.outputChannels();
    flops.atInputs = patchesIn + m_modulation.flopsAtSinusoids() + textIn;
    return flops;
}

std::vector<TpRule> Ltx::tpPlan() const {
    const auto width = shape().model.width;
    return {
        // by heads, the gains of norms across all heads likewise
        {"blocks.*.qkv", TpStyle::columnwise, {width, width, width}},
        {"blocks.*.query_norm", TpStyle::columnwise},
        {"blocks.*.key_norm", TpStyle::columnwise},
        {"blocks.*.attention_out", TpStyle::rowwise},
        {"blocks.*.cross.query", TpStyle::columnwise},
        {"blocks.*.cross.key_value", TpStyle::columnwise, {width, width}},
        {"blocks.*.cross.query_norm", TpStyle::columnwise},
        {"blocks.*.cross.key_norm", TpStyle::columnwise},
        {"blocks.*.cross.out", TpStyle::rowwise},
        {"blocks.*.mlp_in", TpStyle::columnwise},
        {"blocks.*.mlp_out", TpStyle::rowwise},
        {"modulation", TpStyle::columnwise},
    };
}

std::vector<DiffusersWeight> Ltx::diffusersWeights() const {
    const auto& model = shape().model;
    const bool isTheirs = shape().textWidth > 0 && model.activation == "gelu-tanh" &&
                          m_mlp.hidden == 4 * model.width && model.patch_frames == 1 &&
                          model.patch_size == 1 && m_patches.inputChannels() == shape().channels;
    if (!isTheirs) return {};
    const auto width = model.width;
    std::vector<DiffusersWeight> names;
    const auto same = [&](const std::string& theirs, const std::string& ours) {
        for (const auto* part : {".weight", ".bias"}) names.push_back({theirs + part, ours + part});
    };
    const auto rows = [&](const std::string& theirs, const std::string& ours, std::int64_t part) {
        for (const auto* kind : {".weight", ".bias"})
            names.push_back({theirs + kind, ours + kind, part * width, width});
    };
    same("proj_in", "patch");
    same("time_embed.emb.timestep_embedder.linear_1", "time.in");
    same("time_embed.emb.timestep_embedder.linear_2", "time.out");
    same("time_embed.linear", "modulation");
    same("caption_projection.linear_1", "text.in");
    same("caption_projection.linear_2", "text.out");
    for (std::int64_t i = 0; i < model.depth; ++i) {
        const auto ours = ltxBlock(i), theirs = "transformer_" + ours + ".";
        names.push_back({theirs + "scale_shift_table", ours + ".modulation"});
        rows(theirs + "attn1.to_q", ours + ".qkv", 0);
        rows(theirs + "attn1.to_k", ours + ".qkv", 1);
        rows(theirs + "attn1.to_v", ours + ".qkv", 2);
        names.push_back({theirs + "attn1.norm_q.weight", ours + ".query_norm.weight"});
        names.push_back({theirs + "attn1.norm_k.weight", ours + ".key_norm.weight"});
        same(theirs + "attn1.to_out.0", ours + ".attention_out");
        same(theirs + "attn2.to_q", ours + ".cross.query");
        rows(theirs + "attn2.to_k", ours + ".cross.key_value", 0);
        rows(theirs + "attn2.to_v", ours + ".cross.key_value", 1);
        names.push_back({theirs + "attn2.norm_q.weight", ours + ".cross.query_norm.weight"});
        names.push_back({theirs + "attn2.norm_k.weight", ours + ".cross.key_norm.weight"});
        same(theirs + "attn2.to_out.0", ours + ".cross.out");
        same(theirs + "ff.net.0.proj", ours + ".mlp_in");
        same(theirs + "ff.net.2", ours + ".mlp_out");
    }
    names.push_back({"scale_shift_table", "final.modulation"});
    same("proj_out", "final");
    return names;
}

Json Ltx::diffusersConfig() const {
    const auto& model = shape().model;
    return {{"_class_name", "LTXVideoTransformer3DModel"},
            {"in_channels", shape().channels},
            {"out_channels", shape().channels},
            {"num_attention_heads", model.heads},
            {"attention_head_dim", model.width / model.heads},
            {"cross_attention_dim", model.width},
            {"num_layers", model.depth},
            {"caption_channels", shape().textWidth}};
}

}  // namespace dailies::trainer
