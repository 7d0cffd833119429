#include "trainer/models/dit/cosmos_names.h"

#include "core/config/conditioning.h"

namespace dailies::trainer {

std::vector<DiffusersWeight> cosmosNames(const ModelShape& shape) {
    const auto& model = shape.model;
    const bool theirs = model.family == "dit" && model.adaln == "lora" && !model.bias &&
                        model.positions == "none" && shape.textWidth > 0 && !shape.readsBytes() &&
                        model.activation == "gelu" && (model.kv_heads == 0 || model.kv_heads == model.heads);
    if (!theirs) return {};

    const auto width = model.width, frames = model.patch_frames, size = model.patch_size;
    const auto colours = shape.channels;
    const auto inputs = colours + config::conditioningChannels(model, colours);
    std::vector<DiffusersWeight> names;
    const auto same = [&](const std::string& theirName, const std::string& ourName) {
        names.push_back({theirName + ".weight", ourName + ".weight"});
    };
    const auto rows = [&](const std::string& theirName, const std::string& ourName, std::int64_t part) {
        names.push_back({theirName + ".weight", ourName + ".weight", part * width, width});
    };

    // the channels of their patch run over colour, frame, row, column, and of the patch they put out over
    // row, column, frame, colour
    names.push_back({"patch_embed.proj.weight",
                     "patch.weight",
                     0,
                     0,
                     {width, frames, size, size, inputs},
                     {0, 4, 1, 2, 3},
                     {width, frames * size * size * inputs}});
    same("time_embed.t_embedder.linear_1", "time.in");
    same("time_embed.t_embedder.linear_2", "time.out");
    same("time_embed.norm", "time.norm");
    for (std::int64_t i = 0; i < model.depth; ++i) {
        const auto ours = "blocks." + std::to_string(i);
        const auto block = "transformer_blocks." + std::to_string(i) + ".";
        for (std::int64_t subLayer = 0; subLayer < 3; ++subLayer) {
            const auto norm = block + "norm" + std::to_string(subLayer + 1);
            const auto adaln = ours + ".adaln." + std::to_string(subLayer);
            same(norm + ".linear_1", adaln + ".down");
            same(norm + ".linear_2", adaln + ".up");
        }
        rows(block + "attn1.to_q", ours + ".qkv", 0);
        rows(block + "attn1.to_k", ours + ".qkv", 1);
        rows(block + "attn1.to_v", ours + ".qkv", 2);
        same(block + "attn1.norm_q", ours + ".query_norm");
        same(block + "attn1.norm_k", ours + ".key_norm");
        same(block + "attn1.to_out.0", ours + ".attention_out");
        same(block + "attn2.to_q", ours + ".cross.query");
        rows(block + "attn2.to_k", ours + ".cross.key_value", 0);
        rows(block + "attn2.to_v", ours + ".cross.key_value", 1);
        same(block + "attn2.norm_q", ours + ".cross.query_norm");
        same(block + "attn2.norm_k", ours + ".cross.key_norm");
        same(block + "attn2.to_out.0", ours + ".cross.out");
        same(block + "ff.net.0.proj", ours + ".mlp_in");
        same(block + "ff.net.2", ours + ".mlp_out");
    }
    same("norm_out.linear_1", "final.adaln.down");
    same("norm_out.linear_2", "final.adaln.up");
    names.push_back({"proj_out.weight",
                     "final.weight",
                     0,
                     0,
                     {frames, size, size, colours, width},
                     {1, 2, 0, 3, 4},
                     {frames * size * size * colours, width}});
    return names;
}

Json cosmosConfig(const ModelShape& shape) {
    const auto& model = shape.model;
    const auto hidden = model.mlp_width > 0 ? model.mlp_width : model.mlp_ratio * model.width;
    return {{"_class_name", "CosmosTransformer3DModel"},
            {"in_channels", shape.channels + config::conditioningChannels(model, shape.channels)},
            {"out_channels", shape.channels},
            {"num_attention_heads", model.heads},
            {"attention_head_dim", model.width / model.heads},
            {"num_layers", model.depth},
            {"mlp_ratio", static_cast<double>(hidden) / static_cast<double>(model.width)},
            {"text_embed_dim", shape.textWidth},
            {"adaln_lora_dim", model.adaln_rank},
            {"patch_size", {model.patch_frames, model.patch_size, model.patch_size}},
            {"rope_scale", {model.rope_time_scale, model.rope_space_scale, model.rope_space_scale}},
            {"concat_padding_mask", false},
            {"extra_pos_embed_type", nullptr}};
}

}  // namespace dailies::trainer
