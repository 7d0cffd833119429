#include "trainer/models/modulated_transformer.h"

#include "core/config/conditioning.h"
#include "core/config/family_traits.h"
#include "trainer/models/layers/cuda/fused.h"
#include "trainer/models/layers/linear.h"
#include "trainer/models/layers/recompute.h"
#include "trainer/models/layers/with_unsharded.h"

#include <torch/types.h>

namespace dailies::trainer {

namespace {

layers::AttentionShape acrossHeads(const config::TrainConfig::Model& model, double epsilon) {
    return {.width = model.width,
            .heads = model.heads,
            .kvHeads = model.heads,
            .normAcrossHeads = true,
            .bias = true,
            .normEpsilon = epsilon};
}

}  // namespace

ModulatedTransformer::ModulatedTransformer(const ModelShape& shape, double headNormEpsilon)
    : Model(shape),
      m_patches(shape),
      m_modulation(shape.model.width, shape.model.time_scale),
      m_attention{acrossHeads(shape.model, headNormEpsilon)},
      m_cross{acrossHeads(shape.model, headNormEpsilon), shape.model.width,
              /*readsImage=*/shape.imageWidth > 0},
      m_mlp{.width = shape.model.width,
            .hidden =
                shape.model.mlp_width > 0 ? shape.model.mlp_width : shape.model.width * shape.model.mlp_ratio,
            .activation = shape.model.activation,
            .bias = true} {}

void ModulatedTransformer::declareWeights(WeightInitializer& make) const {
    const auto width = shape().model.width;
    make.linear("patch", width, m_patches.inputChannels(), true);
    m_modulation.declareShared(make);
    if (shape().textWidth > 0) {
        make.linear("text.in", width, shape().textWidth, true);
        make.linear("text.out", width, width, true);
    } else {
        make.normal("caption.embedding", {shape().captionTokens, width}, 1.0);
    }
    declareImage(make);
    for (std::int64_t i = 0; i < shape().model.depth; ++i) {
        const auto name = blockName(i);
        m_modulation.declareBlock(make, name);
        m_attention.declare(make, name);
        declareBeforeText(make, name);
        m_cross.declare(make, name);
        m_mlp.declare(make, name);
    }
    m_modulation.declareFinal(make);
    make.zeroLinear("final", m_patches.outputChannels(), width, true);
}

class ModulatedTransformer::BlockByBlock : public ModelPass {
public:
    BlockByBlock(const ModulatedTransformer& model, const Params& weights, const ModelInput& input)
        : m_model(model), m_weights(weights), m_groups(input.groups) {
        const auto layout = model.m_patches.layout(input);
        m_pass = std::make_shared<Pass>(Pass{layout, model.rope(layout), model.context(weights, input.text),
                                             model.image(weights, input),
                                             model.m_patches.givenTokens(m_groups, layout)});
        m_levels = model.m_modulation.levels(weights, input.times, m_pass->clean);
    }

    at::Tensor embedded() const override { return m_model.embedded(m_weights, m_groups, m_pass->layout); }

    std::vector<std::int64_t> tokenSizes() const override {
        return m_pass->layout.sizes(m_model.shape().model.width);
    }

    at::Tensor block(std::int64_t index, const at::Tensor& tokens) const override {
        return layers::withUnsharded(m_weights, blockName(index), [&] {
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
    const ModulatedTransformer& m_model;
    const Params& m_weights;
    std::vector<ClipGroup> m_groups;
    std::shared_ptr<const Pass> m_pass;
    layers::NoiseModulation::Levels m_levels;
};

std::unique_ptr<ModelPass> ModulatedTransformer::begin(const Params& weights, const ModelInput& input) const {
    return std::make_unique<BlockByBlock>(*this, weights, input);
}

layers::TextContext ModulatedTransformer::context(const Params& weights, const TextInput& text) const {
    if (shape().textWidth == 0) return layers::wordTokens(text, weights["caption.embedding"]);
    const auto places = config::textPlaces(shape().model);
    return layers::projectedText(
        weights, places > 0 ? layers::textInPlaces(text, places) : layers::embeddedText(text));
}

at::Tensor ModulatedTransformer::block(const Params& weights, std::int64_t index, const at::Tensor& tokens,
                                       const layers::NoiseModulation::Levels& levels,
                                       const std::shared_ptr<const Pass>& pass) const {
    using layers::NoiseModulation;
    const auto name = blockName(index);
    constexpr std::size_t kImage = 2, kFirstRow = 3;
    std::vector<at::Tensor> inputs = {tokens, pass->text.tokens, pass->image};
    const auto rows = NoiseModulation::blockRows(weights, name, levels);
    inputs.insert(inputs.end(), rows.begin(), rows.end());
    const auto rowOf = [pass](const std::vector<at::Tensor>& in, std::size_t i) {
        return NoiseModulation::perToken(pass->layout, pass->clean, NoiseModulation::row(in, kFirstRow, i));
    };

    const auto attention = [this, &weights, name, pass, rowOf](const std::vector<at::Tensor>& in) {
        const auto& layout = pass->layout;
        const auto own = m_attention(weights, name, normed(in[0], rowOf(in, 0), rowOf(in, 1)), layout,
                                     layers::Span::full, pass->rope);
        const auto attended = fused::gatedResidual(in[0], own, rowOf(in, 2));
        return attended + m_cross(weights, name, beforeText(weights, name, attended), layout,
                                  {in[1], pass->text.mask}, in[kImage]);
    };
    const auto mlp = [this, &weights, name, rowOf](const std::vector<at::Tensor>& in) {
        const auto read = normed(in[0], rowOf(in, 3), rowOf(in, 4));
        return fused::gatedResidual(in[0], m_mlp(weights, name, read), rowOf(in, 5));
    };
    return layers::runBlock(shape().model.recompute, attention, mlp, inputs);
}

std::int64_t ModulatedTransformer::tokensPerClip(const ClipSize& size) const {
    return m_patches.grid(size).tokensPerClip();
}

Flops ModulatedTransformer::flops(const ClipSize& size, std::int64_t textTokens) const {
    const auto tokens = tokensPerClip(size), width = shape().model.width;
    const bool words = shape().textWidth == 0;
    if (words)
        textTokens = shape().captionTokens;
    else if (const auto places = config::textPlaces(shape().model); places > 0)
        textTokens = places;
    Flops flops;
    flops.blocks = m_attention.flops(tokens) + m_cross.flops(tokens) + m_mlp.flops(tokens);
    flops.attention = m_attention.attentionFlops(tokens, tokens);
    const auto imageTokens = shape().imageWidth > 0 ? config::imageTokens(shape().model) : 0;
    for (const auto read : {textTokens, imageTokens})
        flops.text += m_cross.textFlops(read) + m_cross.attentionFlops(tokens, read);
    flops.blocks *= shape().model.depth;
    flops.attention *= shape().model.depth;
    flops.text *= shape().model.depth;

    const auto patchesIn = 2 * tokens * m_patches.inputChannels() * width;
    const auto textIn = words ? 0 : 2 * textTokens * shape().textWidth * width;
    const auto textOut = words ? 0 : 2 * textTokens * width * width;
    const auto image = 2 * imageTokens * shape().imageWidth * (shape().imageWidth + width);
    flops.rest = patchesIn + m_modulation.flops() + textIn + textOut + image +
                 2 * tokens * width * m_patches.outputChannels();
    flops.atInputs = patchesIn + m_modulation.flopsAtSinusoids() + textIn;
    return flops;
}

std::vector<TpRule> ModulatedTransformer::tpPlan() const {
    const auto width = shape().model.width;
    return {
        // by heads, the gains of norms across all heads likewise
        {"blocks.*.qkv", TpStyle::columnwise, {width, width, width}},
        {"blocks.*.query_norm", TpStyle::columnwise},
        {"blocks.*.key_norm", TpStyle::columnwise},
        {"blocks.*.attention_out", TpStyle::rowwise},
        {"blocks.*.cross.query", TpStyle::columnwise},
        {"blocks.*.cross.key_value", TpStyle::columnwise, {width, width}},
        {"blocks.*.cross.image_key_value", TpStyle::columnwise, {width, width}},
        {"blocks.*.cross.image_key_norm", TpStyle::columnwise},
        {"blocks.*.cross.query_norm", TpStyle::columnwise},
        {"blocks.*.cross.key_norm", TpStyle::columnwise},
        {"blocks.*.cross.out", TpStyle::rowwise},
        {"blocks.*.mlp_in", TpStyle::columnwise},
        {"blocks.*.mlp_out", TpStyle::rowwise},
        {"modulation", TpStyle::columnwise},
    };
}

void ModulatedTransformer::addNames(std::vector<DiffusersWeight>& names, const std::string& theirs,
                                    const std::string& ours) {
    for (const auto* part : {".weight", ".bias"}) names.push_back({theirs + part, ours + part});
}

void ModulatedTransformer::addRowNames(std::vector<DiffusersWeight>& names, const std::string& theirs,
                                       const std::string& ours, std::int64_t part) const {
    const auto width = shape().model.width;
    for (const auto* kind : {".weight", ".bias"})
        names.push_back({theirs + kind, ours + kind, part * width, width});
}

void ModulatedTransformer::addAttentionNames(std::vector<DiffusersWeight>& names, const std::string& theirs,
                                             const std::string& ours) const {
    addRowNames(names, theirs + "attn1.to_q", ours + ".qkv", 0);
    addRowNames(names, theirs + "attn1.to_k", ours + ".qkv", 1);
    addRowNames(names, theirs + "attn1.to_v", ours + ".qkv", 2);
    names.push_back({theirs + "attn1.norm_q.weight", ours + ".query_norm.weight"});
    names.push_back({theirs + "attn1.norm_k.weight", ours + ".key_norm.weight"});
    addNames(names, theirs + "attn1.to_out.0", ours + ".attention_out");
    addNames(names, theirs + "attn2.to_q", ours + ".cross.query");
    addRowNames(names, theirs + "attn2.to_k", ours + ".cross.key_value", 0);
    addRowNames(names, theirs + "attn2.to_v", ours + ".cross.key_value", 1);
    names.push_back({theirs + "attn2.norm_q.weight", ours + ".cross.query_norm.weight"});
    names.push_back({theirs + "attn2.norm_k.weight", ours + ".cross.key_norm.weight"});
    addNames(names, theirs + "attn2.to_out.0", ours + ".cross.out");
}

}  // namespace dailies::trainer
