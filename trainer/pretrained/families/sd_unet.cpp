#include "trainer/pretrained/families/sd_unet.h"

#include "trainer/models/layers/picture_shapes.h"

#include <algorithm>
#include <array>

// Names and sizes are those of diffusers' UNet2DConditionModel and MotionAdapter, of CompVis'
// latent-diffusion (ldm/modules/diffusionmodules/openaimodel.py) and of AnimateDiff
// (animatediff/models/motion_module.py).

namespace dailies::trainer::pretrained {

namespace {

constexpr const char* kMotionBlock = ".motion_modules.0.transformer_blocks.0";

/// Where motion modules keep the positions, which are no weights: diffusers once for both layers of
/// attention, AnimateDiff one each, and its later releases nowhere.
std::vector<std::string> positionsOf(const TensorTable& tensors) {
    const auto first = std::string("down_blocks.0") + kMotionBlock;
    if (tensors.has(first + ".pos_embed.pe")) return {".pos_embed.pe"};
    if (tensors.has(first + ".attn1.pos_encoder.pe"))
        return {".attn1.pos_encoder.pe", ".attn2.pos_encoder.pe"};
    return {};
}

/// The motion modules that are there, if any.
unet::MotionSizes motionOf(const TensorTable& tensors) {
    const auto norm = std::string(kMotionBlock) + ".norm1.weight";
    unet::MotionSizes motion;
    motion.middle = tensors.has("mid_block" + norm);
    if (!motion.middle && !tensors.has("down_blocks.0" + norm)) return motion;
    motion.places = motion.middle ? 32 : 24;
    for (const auto& table : positionsOf(tensors))
        if (const auto found = tensors.axis({"down_blocks.0" + (kMotionBlock + table)}, 1);
            found && inReason(*found))
            motion.places = *found;
    return motion;
}

/// A list of motion modules with the positions that the file keeps.
NamedShapes withPositions(NamedShapes list, const UnetSizes& sizes, const TensorTable& tensors) {
    const auto tables = positionsOf(tensors);
    const std::string end = ".norm1.weight";
    const auto count = list.size();
    for (std::size_t i = 0; i < count; ++i) {
        const auto named = list[i];
        if (named.name.find(".motion_modules.") == std::string::npos || !named.name.ends_with(end)) continue;
        for (const auto& table : tables)
            list.push_back({named.name.substr(0, named.name.size() - end.size()) + table,
                            {1, sizes.motion.places, named.shape.front()}});
    }
    return list;
}

/// Sizes by the blocks that `part` (".resnets.0.conv1.weight") of each level tells.
void readLevels(UnetSizes& sizes, const TensorTable& tensors, const std::string& part) {
    constexpr std::int64_t kMostLevels = 8;
    const auto published = sizes.levels.channels;
    const auto levels =
        countedBlocks(tensors, "down_blocks.", kMostLevels, 0, static_cast<std::int64_t>(published.size()));
    sizes.levels.channels.resize(static_cast<std::size_t>(levels), published.back());
    for (std::size_t level = 0; level < sizes.levels.count(); ++level)
        if (const auto width = tensors.axis({"down_blocks." + std::to_string(level) + part}, 0);
            width && inReason(*width))
            sizes.levels.channels[level] = *width;
}

Json jsonOf(const UnetSizes& sizes) {
    return {{"in_channels", sizes.inputs},         {"out_channels", sizes.outputs},
            {"channels", sizes.levels.channels},   {"blocks", sizes.levels.blocks},
            {"text_dim", sizes.context},           {"heads", sizes.heads},
            {"norm_groups", sizes.groups},         {"motion_places", sizes.motion.places},
            {"motion_middle", sizes.motion.middle}};
}

/// "0.in_layers.0.weight" and "1.norm.weight": the parts of a block that has `number` in its level.
std::string originalPart(const std::string& level, std::int64_t number, const std::string& rest) {
    if (rest.starts_with("0."))
        return numbered(level + ".resnets", number) + "." + residualDiffusersName(rest.substr(2));
    if (rest.starts_with("1.conv.") || rest.starts_with("2.conv."))
        return level + ".upsamplers.0." + rest.substr(2);
    if (rest.starts_with("1.")) return numbered(level + ".attentions", number) + "." + rest.substr(2);
    return level + "." + rest;
}

}  // namespace

std::string residualDiffusersName(const std::string& name) {
    return replacePrefix(name, {{"in_layers.0.", "norm1."},
                                {"in_layers.2.", "conv1."},
                                {"emb_layers.1.", "time_emb_proj."},
                                {"out_layers.0.", "norm2."},
                                {"out_layers.3.", "conv2."},
                                {"skip_connection.", "conv_shortcut."}});
}

std::string unetDiffusersName(const std::string& name) {
    constexpr std::int64_t kOfLevel = 3;  // on the way down two blocks and a step, on the way up three blocks
    if (const auto block = splitBlock(name, "input_blocks.")) {
        if (block->number == 0) return "conv_in." + replacePrefix(block->rest, {{"0.", ""}});
        const auto level = numbered("down_blocks", (block->number - 1) / kOfLevel);
        const auto place = (block->number - 1) % kOfLevel;
        if (place + 1 == kOfLevel)
            return level + "." + replacePrefix(block->rest, {{"0.op.", "downsamplers.0.conv."}});
        return originalPart(level, place, block->rest);
    }
    if (const auto block = splitBlock(name, "output_blocks."))
        return originalPart(numbered("up_blocks", block->number / kOfLevel), block->number % kOfLevel,
                            block->rest);
    if (const auto block = splitBlock(name, "middle_block.")) {
        if (block->number == 1) return "mid_block.attentions.0." + block->rest;
        return (block->number == 0 ? "mid_block.resnets.0." : "mid_block.resnets.1.") +
               residualDiffusersName(block->rest);
    }
    return replacePrefix(name, {{"time_embed.0.", "time_embedding.linear_1."},
                                {"time_embed.2.", "time_embedding.linear_2."},
                                {"out.0.", "conv_norm_out."},
                                {"out.2.", "conv_out."}});
}

std::string motionDiffusersName(const std::string& name) {
    const std::string module = "temporal_transformer.", block = "transformer_blocks.0.";
    const auto place = name.find(module);
    if (place == std::string::npos || name.find(".motion_modules.") == std::string::npos) return name;
    const auto before = name.substr(0, place), rest = name.substr(place + module.size());
    if (!rest.starts_with(block)) return before + rest;
    return before + block +
           replacePrefix(rest.substr(block.size()), {{"norms.0.", "norm1."},
                                                     {"norms.1.", "norm2."},
                                                     {"ff_norm.", "norm3."},
                                                     {"attention_blocks.0.", "attn1."},
                                                     {"attention_blocks.1.", "attn2."}});
}

UnetSizes unetSizes(const Json& sizes) {
    return {.inputs = sizes.at("in_channels"),
            .outputs = sizes.at("out_channels"),
            .levels = {.channels = sizes.at("channels").get<Extents>(), .blocks = sizes.at("blocks")},
            .context = sizes.at("text_dim"),
            .heads = sizes.at("heads"),
            .groups = sizes.at("norm_groups"),
            .motion = {.places = sizes.at("motion_places"), .middle = sizes.at("motion_middle")}};
}

UnetSizes motionSizes(const Json& sizes) {
    UnetSizes all;
    all.levels.channels = sizes.at("channels").get<Extents>();
    all.levels.blocks = sizes.at("blocks");
    all.heads = sizes.at("heads");
    all.groups = sizes.at("norm_groups");
    all.motion = {.places = sizes.at("places"), .middle = sizes.at("middle")};
    return all;
}

std::optional<Family> recogniseUnet(const TensorTable& tensors, const Hints& hints) {
    const std::string first = "down_blocks.0.attentions.0.";
    const auto context = tensors.axis({first + "transformer_blocks.0.attn2.to_k.weight"}, 1);
    // linear projections, and several blocks a transformer, are of SD 2 and SDXL; a ControlNet has half a
    // U-Net
    const auto* projection = tensors.find(first + "proj_in.weight");
    const UnetSizes published;
    const bool isUnet = tensors.has("conv_in.weight") && context && inReason(*context) &&
                        (projection ? projection->size() == 4 : *context == published.context) &&
                        !tensors.has("controlnet_cond_embedding.conv_in.weight");
    if (!isUnet) return std::nullopt;
    UnetSizes sizes;
    sizes.context = *context;
    readLevels(sizes, tensors, ".resnets.0.conv1.weight");
    constexpr std::int64_t kMostBlocks = 16;
    sizes.levels.blocks =
        countedBlocks(tensors, "down_blocks.0.resnets.", kMostBlocks, 0, sizes.levels.blocks);
    if (const auto in = tensors.axis({"conv_in.weight"}, 1); in && inReason(*in)) sizes.inputs = *in;
    if (const auto out = tensors.axis({"conv_out.weight"}, 0); out && inReason(*out)) sizes.outputs = *out;
    // a file that holds part of its last layers is one from which the others are missing
    const bool hasOutputs = std::ranges::any_of(
        std::array{"conv_out.weight", "conv_out.bias", "conv_norm_out.weight", "conv_norm_out.bias"},
        [&](const char* name) { return tensors.has(name); });
    if (!hasOutputs) sizes.outputs = 0;
    // the older key means the number of heads, whatever it is called
    sizes.heads =
        configNumber(hints.config, {"num_attention_heads", "attention_head_dim"}).value_or(sizes.heads);
    sizes.groups = configNumber(hints.config, {"norm_num_groups"}).value_or(sizes.groups);
    sizes.motion = motionOf(tensors);
    const bool known = sizes.levels.channels == published.levels.channels &&
                       sizes.levels.blocks == published.levels.blocks && sizes.context == published.context;
    const bool moves = sizes.motion.places > 0;
    return Family{"sd15_unet",
                  !known               ? ""
                  : moves              ? "Stable Diffusion 1 with motion modules"
                  : sizes.outputs == 0 ? "ReferenceNet of Animate Anyone"
                                       : "Stable Diffusion 1",
                  jsonOf(sizes), withPositions(unet::unetTensors(sizes), sizes, tensors)};
}

std::optional<Family> recogniseMotion(const TensorTable& tensors, const Hints& hints) {
    UnetSizes sizes;
    sizes.motion = motionOf(tensors);
    if (sizes.motion.places == 0) return std::nullopt;
    const auto published = sizes.levels.channels;
    readLevels(sizes, tensors, ".motion_modules.0.proj_in.weight");
    constexpr std::int64_t kMostBlocks = 16;
    sizes.levels.blocks =
        countedBlocks(tensors, "down_blocks.0.motion_modules.", kMostBlocks, 0, sizes.levels.blocks);
    sizes.heads = configNumber(hints.config, {"motion_num_attention_heads"}).value_or(sizes.heads);
    sizes.groups = configNumber(hints.config, {"motion_norm_num_groups"}).value_or(sizes.groups);
    return Family{"motion_modules",
                  sizes.levels.channels != published || sizes.levels.blocks != 2 ? ""
                  : sizes.motion.middle ? "AnimateDiff motion modules v2"
                                        : "AnimateDiff motion modules v1",
                  {{"channels", sizes.levels.channels},
                   {"blocks", sizes.levels.blocks},
                   {"heads", sizes.heads},
                   {"norm_groups", sizes.groups},
                   {"places", sizes.motion.places},
                   {"middle", sizes.motion.middle}},
                  withPositions(unet::motionTensors(sizes), sizes, tensors)};
}

}  // namespace dailies::trainer::pretrained
