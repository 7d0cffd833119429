#include "trainer/models/ltx/ltx.h"

#include "trainer/models/layers/norms.h"
#include "trainer/models/ltx/ltx_rope.h"

namespace dailies::trainer {

namespace {

constexpr double kHeadNormEpsilon = 1e-5;  // of queries and keys; other norms have 1e-6

}  // namespace

Ltx::Ltx(const ModelShape& shape, at::Device device)
    : ModulatedTransformer(shape, kHeadNormEpsilon), m_rotary(ltxRotary(shape, device)) {}

layers::RopeTable Ltx::rope(const layers::SequenceLayout& layout) const {
    return m_rotary.rope(layout);
}

at::Tensor Ltx::normed(const at::Tensor& x, const at::Tensor& shift, const at::Tensor& scale) const {
    return layers::rmsNormModulate(x, shift, scale);
}

at::Tensor Ltx::beforeText(const Params&, const std::string&, const at::Tensor& x) const {
    return x;
}

std::vector<DiffusersWeight> Ltx::diffusersWeights() const {
    const auto& model = shape().model;
    const bool isTheirs = shape().textWidth > 0 && model.activation == "gelu-tanh" &&
                          mlpWidth() == 4 * model.width && model.patch_frames == 1 && model.patch_size == 1 &&
                          patches().inputChannels() == shape().channels;
    if (!isTheirs) return {};
    std::vector<DiffusersWeight> names;
    addNames(names, "proj_in", "patch");
    addNames(names, "time_embed.emb.timestep_embedder.linear_1", "time.in");
    addNames(names, "time_embed.emb.timestep_embedder.linear_2", "time.out");
    addNames(names, "time_embed.linear", "modulation");
    addNames(names, "caption_projection.linear_1", "text.in");
    addNames(names, "caption_projection.linear_2", "text.out");
    for (std::int64_t i = 0; i < model.depth; ++i) {
        const auto ours = blockName(i), theirs = "transformer_" + ours + ".";
        names.push_back({theirs + "scale_shift_table", ours + ".modulation"});
        addAttentionNames(names, theirs, ours);
        addNames(names, theirs + "ff.net.0.proj", ours + ".mlp_in");
        addNames(names, theirs + "ff.net.2", ours + ".mlp_out");
    }
    names.push_back({"scale_shift_table", "final.modulation"});
    addNames(names, "proj_out", "final");
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
