#include "trainer/models/wan/wan.h"

#include "core/base/error.h"
#include "core/config/conditioning.h"
#include "trainer/models/layers/cuda/fused.h"
#include "trainer/models/layers/linear.h"
#include "trainer/models/layers/norms.h"
#include "trainer/models/layers/recompute.h"
#include "trainer/models/layers/with_unsharded.h"

#include <torch/types.h>

namespace dailies::trainer {

namespace {

constexpr std::int64_t kRopePlaces = 1024;  // an axis, in the published configurations; ours has no table
constexpr double kImageNormEpsilon = 1e-5;  // wan/modules/model.py, MLPProj

std::string wanBlock(std::int64_t index) {
    return "blocks." + std::to_string(index);
}

layers::AttentionShape wanAttention(const config::TrainConfig::Model& model) {
    return {.width = model.width,
            .heads = model.heads,
            .kvHeads = model.heads,
            .normAcrossHeads = true,
            .bias = true};
}

}  // namespace

Wan::Wan(const ModelShape& shape, at::Device device)
    : Model(shape),
      m_patches(shape),
      m_modulation(shape.model.width, shape.model.time_scale),
      m_attention{wanAttention(shape.model)},
      m_cross{wanAttention(shape.model), shape.model.width, /*readsImage=*/shape.imageWidth > 0},
      m_mlp{.width = shape.model.width,
            .hidden =
                shape.model.mlp_width > 0 ? shape.model.mlp_width : shape.model.width * shape.model.mlp_ratio,
            .activation = shape.model.activation,
            .bias = true},
      m_rotary({.headWidth = shape.model.width / shape.model.heads,
                .interleaved = true,
                .fps = shape.model.rope_fps,
                .timeScale = shape.model.rope_time_scale,
                .spaceScale = shape.model.rope_space_scale},
               device) {}

void Wan::declareWeights(WeightInitializer& make) const {
    const auto width = shape().model.width;
    make.linear("patch", width, m_patches.inputChannels(), true);
    m_modulation.declareShared(make);
    if (shape().textWidth > 0) {
        make.linear("text.in", width, shape().textWidth, true);
        make.linear("text.out", width, width, true);
    } else {
        make.normal("caption.embedding", {shape().captionTokens, width}, 1.0);
    }
    if (const auto seen = shape().imageWidth; seen > 0) {
        make.ones("image.in_norm.weight", {seen});
        make.zeros("image.in_norm.bias", {seen});
        make.linear("image.in", seen, seen, true);
        make.linear("image.out", width, seen, true);
        make.ones("image.out_norm.weight", {width});
        make.zeros("image.out_norm.bias", {width});
    }
    for (std::int64_t i = 0; i < shape().model.depth; ++i) {
        const auto name = wanBlock(i);
        m_modulation.declareBlock(make, name);
        m_attention.declare(make, name);
        make.ones(name + ".cross.norm.weight", {width});
        make.zeros(name + ".cross.norm.bias", {width});
        m_cross.declare(make, name);
        m_mlp.declare(make, name);
    }
    m_modulation.declareFinal(make);
    make.zeroLinear("final", m_patches.outputChannels(), width, true);
}

class Wan::BlockByBlock : public ModelPass {
public:
    BlockByBlock(const Wan& model, const Params& weights, const ModelInput& input)
        : m_model(model), m_weights(weights), m_groups(input.groups) {
        const auto layout = model.m_patches.layout(input);
        m_pass = std::make_shared<Pass>(
            Pass{layout, model.m_rotary.rope(layout), model.context(weights, input.text),
                 model.imageContext(weights, input), model.m_patches.givenTokens(m_groups, layout)});
        m_levels = model.m_modulation.levels(weights, input.times, m_pass->clean);
    }

    at::Tensor embedded() const override {
        return m_model.m_patches.embedded(m_weights, m_groups, m_pass->layout);
    }

    std::vector<std::int64_t> tokenSizes() const override {
        return m_pass->layout.sizes(m_model.shape().model.width);
    }

    at::Tensor block(std::int64_t index, const at::Tensor& tokens) const override {
        return layers::withUnsharded(m_weights, wanBlock(index), [&] {
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
    const Wan& m_model;
    const Params& m_weights;
    std::vector<ClipGroup> m_groups;
    std::shared_ptr<const Pass> m_pass;
    layers::NoiseModulation::Levels m_levels;
};

std::unique_ptr<ModelPass> Wan::begin(const Params& weights, const ModelInput& input) const {
    return std::make_unique<BlockByBlock>(*this, weights, input);
}

layers::TextContext Wan::context(const Params& weights, const TextInput& text) const {
    if (shape().textWidth == 0) return layers::wordTokens(text, weights["caption.embedding"]);
    const auto places = shape().model.text_places;
    auto context = places > 0 ? layers::textInPlaces(text, places) : layers::embeddedText(text);
    return layers::projectedText(weights, std::move(context));
}

at::Tensor Wan::imageContext(const Params& weights, const ModelInput& input) const {
    if (shape().imageWidth == 0) return {};
    std::vector<at::Tensor> groups;
    for (const auto& group : input.groups) {
        if (!group.imageTokens.defined())
            throw Error("The model reads the image that a clip begins with, and was given none.");
        groups.push_back(group.imageTokens);
    }
    const auto normed = layers::layerNorm(weights, "image.in_norm", at::cat(groups), kImageNormEpsilon);
    const auto inner = at::gelu(layers::fp32Linear(weights, "image.in", normed));
    return layers::layerNorm(weights, "image.out_norm", layers::fp32Linear(weights, "image.out", inner),
                             kImageNormEpsilon);
}

at::Tensor Wan::block(const Params& weights, std::int64_t index, const at::Tensor& tokens,
                      const layers::NoiseModulation::Levels& levels,
                      const std::shared_ptr<const Pass>& pass) const {
    using layers::NoiseModulation;
    const auto name = wanBlock(index);
    constexpr std::size_t kImage = 2, kFirstRow = 3;
    std::vector<at::Tensor> inputs = {tokens, pass->text.tokens, pass->image};
    const auto rows = NoiseModulation::blockRows(weights, name, levels);
    inputs.insert(inputs.end(), rows.begin(), rows.end());
    const auto rowOf = [pass](const std::vector<at::Tensor>& in, std::size_t i) {
        return NoiseModulation::perToken(pass->layout, pass->clean, NoiseModulation::row(in, kFirstRow, i));
    };

    const auto attention = [this, &weights, name, pass, rowOf](const std::vector<at::Tensor>& in) {
        const auto& layout = pass->layout;
        const auto own = m_attention(weights, name, fused::normModulate(in[0], rowOf(in, 0), rowOf(in, 1)),
                                     layout, layers::Span::full, pass->rope);
        const auto attended = fused::gatedResidual(in[0], own, rowOf(in, 2));
        const auto normed =
            at::layer_norm(attended, {attended.size(-1)}, weights[name + ".cross.norm.weight"],
                           weights[name + ".cross.norm.bias"], layers::kNormEpsilon);
        return attended + m_cross(weights, name, normed, layout, {in[1], pass->text.mask}, in[kImage]);
    };
    const auto mlp = [this, &weights, name, rowOf](const std::vector<at::Tensor>& in) {
        const auto normed = fused::normModulate(in[0], rowOf(in, 3), rowOf(in, 4));
        return fused::gatedResidual(in[0], m_mlp(weights, name, normed), rowOf(in, 5));
    };
    return layers::runBlock(shape().model.recompute, attention, mlp, inputs);
}

std::int64_t Wan::tokensPerClip(const ClipSize& size) const {
    return m_patches.grid(size).tokensPerClip();
}

Flops Wan::flops(const ClipSize& size, std::int64_t textTokens) const {
    const auto tokens = tokensPerClip(size), width = shape().model.width;
    const bool words = shape().textWidth == 0;
    if (words)
        textTokens = shape().captionTokens;
    else if (shape().model.text_places > 0)
        textTokens = shape().model.text_places;
    Flops flops;
    flops.blocks = m_attention.flops(tokens) + m_cross.flops(tokens) + m_mlp.flops(tokens);
    flops.attention = m_attention.attentionFlops(tokens, tokens);
    const auto imageTokens = shape().imageWidth > 0 ? config::kImageTokens : 0;
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

std::vector<TpRule> Wan::tpPlan() const {
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

std::vector<DiffusersWeight> Wan::diffusersWeights() const {
    if (shape().textWidth == 0 || shape().model.activation != "gelu-tanh") return {};
    const auto width = shape().model.width, frames = shape().model.patch_frames,
               size = shape().model.patch_size, inputs = m_patches.inputChannels() / (frames * size * size);
    std::vector<DiffusersWeight> names;
    const auto same = [&](const std::string& theirs, const std::string& ours) {
        for (const auto* part : {".weight", ".bias"}) names.push_back({theirs + part, ours + part});
    };
    const auto rows = [&](const std::string& theirs, const std::string& ours, std::int64_t part) {
        for (const auto* kind : {".weight", ".bias"})
            names.push_back({theirs + kind, ours + kind, part * width, width});
    };
    // their first layer is a convolution: colour, frame, row, column
    names.push_back({"patch_embedding.weight",
                     "patch.weight",
                     0,
                     0,
                     {width, frames, size, size, inputs},
                     {0, 4, 1, 2, 3},
                     {width, inputs, frames, size, size}});
    names.push_back({"patch_embedding.bias", "patch.bias"});
    same("condition_embedder.time_embedder.linear_1", "time.in");
    same("condition_embedder.time_embedder.linear_2", "time.out");
    same("condition_embedder.time_proj", "modulation");
    same("condition_embedder.text_embedder.linear_1", "text.in");
    same("condition_embedder.text_embedder.linear_2", "text.out");
    const bool image = shape().imageWidth > 0;
    if (image) {
        same("condition_embedder.image_embedder.norm1", "image.in_norm");
        same("condition_embedder.image_embedder.ff.net.0.proj", "image.in");
        same("condition_embedder.image_embedder.ff.net.2", "image.out");
        same("condition_embedder.image_embedder.norm2", "image.out_norm");
    }
    for (std::int64_t i = 0; i < shape().model.depth; ++i) {
        const auto ours = wanBlock(i), theirs = ours + ".";
        names.push_back({.theirs = theirs + "scale_shift_table",
                         .ours = ours + ".modulation",
                         .sizes = {1, layers::NoiseModulation::kRows, width}});
        rows(theirs + "attn1.to_q", ours + ".qkv", 0);
        rows(theirs + "attn1.to_k", ours + ".qkv", 1);
        rows(theirs + "attn1.to_v", ours + ".qkv", 2);
        names.push_back({theirs + "attn1.norm_q.weight", ours + ".query_norm.weight"});
        names.push_back({theirs + "attn1.norm_k.weight", ours + ".key_norm.weight"});
        same(theirs + "attn1.to_out.0", ours + ".attention_out");
        same(theirs + "norm2", ours + ".cross.norm");
        same(theirs + "attn2.to_q", ours + ".cross.query");
        rows(theirs + "attn2.to_k", ours + ".cross.key_value", 0);
        rows(theirs + "attn2.to_v", ours + ".cross.key_value", 1);
        names.push_back({theirs + "attn2.norm_q.weight", ours + ".cross.query_norm.weight"});
        names.push_back({theirs + "attn2.norm_k.weight", ours + ".cross.key_norm.weight"});
        if (image) {
            rows(theirs + "attn2.add_k_proj", ours + ".cross.image_key_value", 0);
            rows(theirs + "attn2.add_v_proj", ours + ".cross.image_key_value", 1);
            names.push_back({theirs + "attn2.norm_added_k.weight", ours + ".cross.image_key_norm.weight"});
        }
        same(theirs + "attn2.to_out.0", ours + ".cross.out");
        same(theirs + "ffn.net.0.proj", ours + ".mlp_in");
        same(theirs + "ffn.net.2", ours + ".mlp_out");
    }
    names.push_back({.theirs = "scale_shift_table", .ours = "final.modulation", .sizes = {1, 2, width}});
    same("proj_out", "final");
    return names;
}

Json Wan::diffusersConfig() const {
    const auto& model = shape().model;
    Json config = {{"_class_name", "WanTransformer3DModel"},
                   {"patch_size", {model.patch_frames, model.patch_size, model.patch_size}},
                   {"num_attention_heads", model.heads},
                   {"attention_head_dim", model.width / model.heads},
                   {"in_channels",
                    m_patches.inputChannels() / (model.patch_frames * model.patch_size * model.patch_size)},
                   {"out_channels", shape().channels},
                   {"text_dim", shape().textWidth},
                   {"freq_dim", layers::NoiseModulation::kTimeChannels},
                   {"ffn_dim", model.mlp_width > 0 ? model.mlp_width : model.mlp_ratio * model.width},
                   {"num_layers", model.depth},
                   {"cross_attn_norm", true},
                   {"qk_norm", "rms_norm_across_heads"},
                   {"eps", layers::kNormEpsilon},
                   {"rope_max_seq_len", kRopePlaces}};
    if (shape().imageWidth > 0)
        config.update({{"image_dim", shape().imageWidth}, {"added_kv_proj_dim", model.width}});
    return config;
}

}  // namespace dailies::trainer
