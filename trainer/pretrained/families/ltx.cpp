#include "trainer/pretrained/families/ltx.h"

// Names are those of diffusers' LTXVideoTransformer3DModel and of its scripts/convert_ltx_to_diffusers.py.

namespace dailies::trainer::pretrained {

namespace {

const std::string kBlocks = "transformer_blocks.";
constexpr std::int64_t kModulationParts = 6;  // of a block's modulation

}  // namespace

NamedShapes ltxTensors(const LtxSizes& sizes) {
    const auto width = sizes.width;
    NamedShapes all = {{"scale_shift_table", {2, width}}};
    addLinear(all, "proj_in", width, sizes.channels);
    addLinear(all, "time_embed.emb.timestep_embedder.linear_1", width, sizes.timeChannels);
    addLinear(all, "time_embed.emb.timestep_embedder.linear_2", width, width);
    addLinear(all, "time_embed.linear", kModulationParts * width, width);
    addLinear(all, "caption_projection.linear_1", width, sizes.textWidth);
    addLinear(all, "caption_projection.linear_2", width, width);
    for (std::int64_t i = 0; i < sizes.layers; ++i) {
        const auto block = kBlocks + std::to_string(i) + ".";
        all.push_back({block + "scale_shift_table", {kModulationParts, width}});
        for (const auto* attention : {"attn1.", "attn2."}) {
            const auto name = block + attention;
            all.push_back({name + "norm_q.weight", {width}});
            all.push_back({name + "norm_k.weight", {width}});
            for (const auto* part : {"to_q", "to_k", "to_v", "to_out.0"})
                addLinear(all, name + part, width, width);
        }
        addLinear(all, block + "ff.net.0.proj", sizes.mlpWidth, width);
        addLinear(all, block + "ff.net.2", width, sizes.mlpWidth);
    }
    addLinear(all, "proj_out", sizes.channels, width);
    return all;
}

std::string ltxDiffusersName(const std::string& name) {
    if (const auto block = splitBlock(name, kBlocks)) {
        for (const std::string attention : {"attn1.", "attn2."})
            if (block->rest.starts_with(attention))
                return block->block + attention +
                       replacePrefix(block->rest.substr(attention.size()),
                                     {{"q_norm.", "norm_q."}, {"k_norm.", "norm_k."}});
        return name;
    }
    return replacePrefix(name, {{"patchify_proj.", "proj_in."}, {"adaln_single.", "time_embed."}});
}

std::optional<Family> recogniseLtx(const TensorTable& tensors, const Hints& hints) {
    const auto normed = tensors.blockWith(kBlocks, "attn1.norm_q.weight");
    const auto mlp = tensors.blockWith(kBlocks, "ff.net.0.proj.weight");
    if (normed.empty() || mlp.empty() || tensors.blockWith(kBlocks, "scale_shift_table").empty())
        return std::nullopt;
    LtxSizes sizes;
    sizes.width = tensors.axis({normed + "attn1.norm_q.weight"}, 0).value_or(0);
    sizes.mlpWidth = tensors.axis({mlp + "ff.net.0.proj.weight"}, 0).value_or(0);
    if (!inReason(sizes.width) || !inReason(sizes.mlpWidth)) return std::nullopt;
    sizes.layers = layersOf(tensors, kBlocks, hints);
    sizes.channels = tensors.axis({"proj_in.weight"}, 1).value_or(sizes.channels);
    sizes.textWidth = tensors.axis({"caption_projection.linear_1.weight"}, 1).value_or(sizes.textWidth);
    auto heads = configNumber(hints.config, {"num_attention_heads"});
    if (!heads && sizes.width == 2048) heads = 32;  // 2B: heads of 64; 13B: of 128
    if (!heads && sizes.width == 4096) heads = 32;
    Json json = {{"dim", sizes.width},
                 {"ffn_dim", sizes.mlpWidth},
                 {"layers", sizes.layers},
                 {"in_channels", sizes.channels},
                 {"text_dim", sizes.textWidth}};
    if (heads && sizes.width % *heads == 0) {
        json["heads"] = *heads;
        json["head_dim"] = sizes.width / *heads;
    }
    const bool small = sizes.width == 2048 && sizes.layers == 28;
    const bool large = sizes.width == 4096 && sizes.layers == 48;
    return Family{"ltx", small ? "LTX-Video 2B" : large ? "LTX-Video 13B" : "", json, ltxTensors(sizes)};
}

}  // namespace dailies::trainer::pretrained
