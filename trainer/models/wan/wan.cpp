#include "trainer/models/wan/wan.h"

#include "core/base/error.h"
#include "core/config/conditioning.h"
#include "trainer/models/layers/cuda/fused.h"
#include "trainer/models/layers/linear.h"
#include "trainer/models/layers/norms.h"

#include <torch/types.h>

namespace dailies::trainer {

namespace {

constexpr std::int64_t kRopePlaces = 1024;  // an axis, in the published configurations; ours has no table
constexpr const char* kImagePositions = "image.positions";
constexpr double kImageNormEpsilon = 1e-5;  // wan/modules/model.py, MLPProj

}  // namespace

Wan::Wan(const ModelShape& shape, at::Device device)
    : ModulatedTransformer(shape, layers::kNormEpsilon),
      m_rotary({.headWidth = shape.model.width / shape.model.heads,
                .interleaved = true,
                .fps = shape.model.rope_fps,
                .timeScale = shape.model.rope_time_scale,
                .spaceScale = shape.model.rope_space_scale},
               device) {}

layers::RopeTable Wan::rope(const layers::SequenceLayout& layout) const {
    return m_rotary.rope(layout);
}

at::Tensor Wan::normed(const at::Tensor& x, const at::Tensor& shift, const at::Tensor& scale) const {
    return fused::normModulate(x, shift, scale);
}

at::Tensor Wan::beforeText(const Params& weights, const std::string& block, const at::Tensor& x) const {
    return at::layer_norm(x, {x.size(-1)}, weights[block + ".cross.norm.weight"],
                          weights[block + ".cross.norm.bias"], layers::kNormEpsilon);
}

void Wan::declareBeforeText(WeightInitializer& make, const std::string& block) const {
    make.ones(block + ".cross.norm.weight", {shape().model.width});
    make.zeros(block + ".cross.norm.bias", {shape().model.width});
}

bool Wan::hasImagePositions() const {
    return shape().imageWidth > 0 && config::readsLastImages(shape().model.conditioning);
}

void Wan::declareImage(WeightInitializer& make) const {
    const auto seen = shape().imageWidth, width = shape().model.width;
    if (seen == 0) return;
    if (hasImagePositions()) make.zeros(kImagePositions, {config::imageTokens(shape().model), seen});
    make.ones("image.in_norm.weight", {seen});
    make.zeros("image.in_norm.bias", {seen});
    make.linear("image.in", seen, seen, true);
    make.linear("image.out", width, seen, true);
    make.ones("image.out_norm.weight", {width});
    make.zeros("image.out_norm.bias", {width});
}

at::Tensor Wan::image(const Params& weights, const ModelInput& input) const {
    if (shape().imageWidth == 0) return {};
    std::vector<at::Tensor> groups;
    for (const auto& group : input.groups) {
        if (!group.imageTokens.defined())
            throw Error("The model reads the image that a clip begins with, and was given none.");
        groups.push_back(group.imageTokens);
    }
    auto tokens = at::cat(groups);
    if (hasImagePositions()) tokens = tokens + weights[kImagePositions];
    const auto normed = layers::layerNorm(weights, "image.in_norm", tokens, kImageNormEpsilon);
    const auto inner = at::gelu(layers::fp32Linear(weights, "image.in", normed));
    return layers::layerNorm(weights, "image.out_norm", layers::fp32Linear(weights, "image.out", inner),
                             kImageNormEpsilon);
}

std::vector<DiffusersWeight> Wan::diffusersWeights() const {
    if (shape().textWidth == 0 || shape().model.activation != "gelu-tanh") return {};
    const auto width = shape().model.width, frames = shape().model.patch_frames,
               size = shape().model.patch_size, inputs = patches().inputChannels() / (frames * size * size);
    std::vector<DiffusersWeight> names;
    // their first layer is a convolution: colour, frame, row, column
    names.push_back({"patch_embedding.weight",
                     "patch.weight",
                     0,
                     0,
                     {width, frames, size, size, inputs},
                     {0, 4, 1, 2, 3},
                     {width, inputs, frames, size, size}});
    names.push_back({"patch_embedding.bias", "patch.bias"});
    addNames(names, "condition_embedder.time_embedder.linear_1", "time.in");
    addNames(names, "condition_embedder.time_embedder.linear_2", "time.out");
    addNames(names, "condition_embedder.time_proj", "modulation");
    addNames(names, "condition_embedder.text_embedder.linear_1", "text.in");
    addNames(names, "condition_embedder.text_embedder.linear_2", "text.out");
    const bool image = shape().imageWidth > 0;
    if (hasImagePositions())
        names.push_back({.theirs = "condition_embedder.image_embedder.pos_embed",
                         .ours = kImagePositions,
                         .sizes = {1, config::imageTokens(shape().model), shape().imageWidth}});
    if (image) {
        addNames(names, "condition_embedder.image_embedder.norm1", "image.in_norm");
        addNames(names, "condition_embedder.image_embedder.ff.net.0.proj", "image.in");
        addNames(names, "condition_embedder.image_embedder.ff.net.2", "image.out");
        addNames(names, "condition_embedder.image_embedder.norm2", "image.out_norm");
    }
    for (std::int64_t i = 0; i < shape().model.depth; ++i) {
        const auto ours = blockName(i), theirs = ours + ".";
        names.push_back({.theirs = theirs + "scale_shift_table",
                         .ours = ours + ".modulation",
                         .sizes = {1, layers::NoiseModulation::kRows, width}});
        addAttentionNames(names, theirs, ours);
        addNames(names, theirs + "norm2", ours + ".cross.norm");
        if (image) {
            addRowNames(names, theirs + "attn2.add_k_proj", ours + ".cross.image_key_value", 0);
            addRowNames(names, theirs + "attn2.add_v_proj", ours + ".cross.image_key_value", 1);
            names.push_back({theirs + "attn2.norm_added_k.weight", ours + ".cross.image_key_norm.weight"});
        }
        addNames(names, theirs + "ffn.net.0.proj", ours + ".mlp_in");
        addNames(names, theirs + "ffn.net.2", ours + ".mlp_out");
    }
    names.push_back({.theirs = "scale_shift_table", .ours = "final.modulation", .sizes = {1, 2, width}});
    addNames(names, "proj_out", "final");
    return names;
}

Json Wan::diffusersConfig() const {
    const auto& model = shape().model;
    Json config = {{"_class_name", "WanTransformer3DModel"},
                   {"patch_size", {model.patch_frames, model.patch_size, model.patch_size}},
                   {"num_attention_heads", model.heads},
                   {"attention_head_dim", model.width / model.heads},
                   {"in_channels",
                    patches().inputChannels() / (model.patch_frames * model.patch_size * model.patch_size)},
                   {"out_channels", shape().channels},
                   {"text_dim", shape().textWidth},
                   {"freq_dim", layers::NoiseModulation::kTimeChannels},
                   {"ffn_dim", mlpWidth()},
                   {"num_layers", model.depth},
                   {"cross_attn_norm", true},
                   {"qk_norm", "rms_norm_across_heads"},
                   {"eps", layers::kNormEpsilon},
                   {"rope_max_seq_len", kRopePlaces}};
    if (shape().imageWidth > 0)
        config.update({{"image_dim", shape().imageWidth}, {"added_kv_proj_dim", model.width}});
    if (hasImagePositions()) config["pos_embed_seq_len"] = config::imageTokens(model);
    return config;
}

}  // namespace dailies::trainer
