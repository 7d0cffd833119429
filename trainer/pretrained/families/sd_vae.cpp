#include "trainer/pretrained/families/sd_vae.h"

#include "trainer/models/layers/picture_shapes.h"

// Names and sizes are those of diffusers' AutoencoderKL and of CompVis' latent-diffusion
// (ldm/modules/diffusionmodules/model.py).

namespace dailies::trainer::pretrained {

namespace {

constexpr std::int64_t kMostLevels = 8, kMostBlocksOfLevel = 16;
constexpr std::int64_t kOriginalLevels = 4;  // whose decoder counts them from fine to coarse

/// A residual block, of a decoder over time one that mixes in another over neighbouring frames.
using AddBlock = void (*)(NamedShapes&, const std::string&, std::int64_t in, std::int64_t out,
                          std::int64_t timeWidth);

void vaeMiddle(NamedShapes& all, const std::string& half, std::int64_t width, bool asConvolutions,
               AddBlock addBlock = addResidualBlock) {
    const auto attention = half + ".mid_block.attentions.0";
    addNorm(all, attention + ".group_norm", width);
    for (const auto* matrix : {".to_q", ".to_k", ".to_v", ".to_out.0"})
        if (asConvolutions)
            addConvolution(all, attention + matrix, width, width, 1);
        else
            addLinear(all, attention + matrix, width, width);
    addBlock(all, half + ".mid_block.resnets.0", width, width, 0);
    addBlock(all, half + ".mid_block.resnets.1", width, width, 0);
}

std::string originalAttention(const std::string& rest) {
    return replacePrefix(rest, {{"norm.", "group_norm."},
                                {"q.", "to_q."},
                                {"k.", "to_k."},
                                {"v.", "to_v."},
                                {"proj_out.", "to_out.0."}});
}

std::string originalBlock(const std::string& rest) {
    return replacePrefix(rest, {{"nin_shortcut.", "conv_shortcut."}});
}

/// "block.1.norm1.weight" and "downsample.conv.weight" of a level.
std::string ofLevel(const std::string& level, const std::string& rest) {
    if (const auto block = splitBlock(rest, "block."))
        return level + ".resnets." + std::to_string(block->number) + "." + originalBlock(block->rest);
    return level + "." +
           replacePrefix(rest, {{"downsample.", "downsamplers.0."}, {"upsample.", "upsamplers.0."}});
}

}  // namespace

NamedShapes sdVaeTensors(const SdVaeSizes& sizes, bool asConvolutions) {
    NamedShapes all;
    const auto& channels = sizes.channels;
    const auto levels = channels.size();
    auto width = channels.front();
    addConvolution(all, "encoder.conv_in", width, sizes.pixels, 3);
    for (std::size_t level = 0; level < levels; ++level) {
        const auto name = "encoder.down_blocks." + std::to_string(level);
        for (std::int64_t i = 0; i < sizes.blocks; ++i) {
            addResidualBlock(all, numbered(name + ".resnets", i), width, channels[level]);
            width = channels[level];
        }
        if (level + 1 < levels) addConvolution(all, name + ".downsamplers.0.conv", width, width, 3);
    }
    vaeMiddle(all, "encoder", width, asConvolutions);
    addNorm(all, "encoder.conv_norm_out", width);
    addConvolution(all, "encoder.conv_out", 2 * sizes.latents, width, 3);  // mean, logarithm of variance
    if (sizes.quantConvolutions) {
        addConvolution(all, "quant_conv", 2 * sizes.latents, 2 * sizes.latents, 1);
        if (!sizes.decodesOverTime) addConvolution(all, "post_quant_conv", sizes.latents, sizes.latents, 1);
    }
    addConvolution(all, "decoder.conv_in", width, sizes.latents, 3);
    const AddBlock addBlock = sizes.decodesOverTime ? addTimeMixedBlock : addResidualBlock;
    vaeMiddle(all, "decoder", width, asConvolutions, addBlock);
    for (std::size_t level = 0; level < levels; ++level) {
        const auto name = "decoder.up_blocks." + std::to_string(level);
        const auto out = channels[levels - 1 - level];
        for (std::int64_t i = 0; i < sizes.blocks + 1; ++i) {
            addBlock(all, numbered(name + ".resnets", i), width, out, 0);
            width = out;
        }
        if (level + 1 < levels) addConvolution(all, name + ".upsamplers.0.conv", width, width, 3);
    }
    addNorm(all, "decoder.conv_norm_out", width);
    addConvolution(all, "decoder.conv_out", sizes.pixels, width, 3);
    if (sizes.decodesOverTime) addTimeConvolution(all, "decoder.time_conv_out", sizes.pixels);
    return all;
}

std::string sdVaeRecentName(const std::string& name) {
    for (const std::string half : {"encoder.", "decoder."})
        if (const auto attention = splitBlock(name, half + "mid_block.attentions."))
            return attention->block + replacePrefix(attention->rest, {{"query.", "to_q."},
                                                                      {"key.", "to_k."},
                                                                      {"value.", "to_v."},
                                                                      {"proj_attn.", "to_out.0."}});
    return name;
}

std::string sdVaeDiffusersName(const std::string& name) {
    for (const std::string half : {"encoder.", "decoder."}) {
        if (!name.starts_with(half)) continue;
        const auto attention = half + "mid.attn_1.";
        if (name.starts_with(attention))
            return half + "mid_block.attentions.0." + originalAttention(name.substr(attention.size()));
        if (const auto block = splitBlock(name, half + "mid.block_"); block && block->number > 0)
            return half + "mid_block.resnets." + std::to_string(block->number - 1) + "." + block->rest;
        if (const auto level = splitBlock(name, "encoder.down."))
            return ofLevel(numbered("encoder.down_blocks", level->number), level->rest);
        if (const auto level = splitBlock(name, "decoder.up."); level && level->number < kOriginalLevels)
            return ofLevel(numbered("decoder.up_blocks", kOriginalLevels - 1 - level->number), level->rest);
        return half + replacePrefix(name.substr(half.size()), {{"norm_out.", "conv_norm_out."}});
    }
    return name;
}

SdVaeSizes sdVaeSizes(const Json& sizes) {
    return {.pixels = sizes.at("pixel_channels"),
            .latents = sizes.at("latent_channels"),
            .channels = sizes.at("channels").get<Extents>(),
            .blocks = sizes.at("blocks"),
            .groups = sizes.at("norm_groups"),
            .quantConvolutions = sizes.at("quant_convolutions"),
            .decodesOverTime = sizes.value("decodes_over_time", false)};
}

std::optional<Family> recogniseSdVae(const TensorTable& tensors, const Hints& hints) {
    const auto* first = tensors.find("encoder.conv_in.weight");
    const auto* last = tensors.find("decoder.conv_out.weight");
    const auto* convolution = first ? first : last;
    // convolutions of pictures tell it from video VAEs, norms with an offset from RMS norms
    const bool isSd = convolution && convolution->size() == 4 &&
                      (tensors.has("encoder.down_blocks.0.resnets.0.norm1.bias") ||
                       tensors.has("decoder.up_blocks.0.resnets.0.norm1.bias"));
    if (!isSd) return std::nullopt;
    SdVaeSizes sizes;
    const auto published = sizes.channels;
    const auto read = [&](std::int64_t& size, const std::vector<std::string>& names, std::size_t axis) {
        if (const auto found = tensors.axis(names, axis); found && inReason(*found)) size = *found;
    };
    const auto levels = countedBlocks(tensors, "encoder.down_blocks.", kMostLevels, 0,
                                      countedBlocks(tensors, "decoder.up_blocks.", kMostLevels, 0, 4));
    sizes.channels.resize(static_cast<std::size_t>(levels), published.back());
    for (std::int64_t level = 0; level < levels; ++level)
        read(sizes.channels[static_cast<std::size_t>(level)],
             {numbered("encoder.down_blocks", level) + ".resnets.0.conv1.weight",
              numbered("decoder.up_blocks", levels - 1 - level) + ".resnets.0.conv1.weight"},
             0);
    sizes.blocks = countedBlocks(
        tensors, "encoder.down_blocks.0.resnets.", kMostBlocksOfLevel, 0,
        countedBlocks(tensors, "decoder.up_blocks.0.resnets.", kMostBlocksOfLevel, 1, sizes.blocks));
    read(sizes.pixels, {"encoder.conv_in.weight"}, 1);
    read(sizes.pixels, {"decoder.conv_out.weight"}, 0);
    read(sizes.latents, {"decoder.conv_in.weight"}, 1);
    sizes.groups = configNumber(hints.config, {"norm_num_groups"}).value_or(sizes.groups);
    // of 4 latent channels all published ones have them, so that there they are missing
    sizes.quantConvolutions =
        sizes.latents == 4 || tensors.has("quant_conv.weight") || tensors.has("post_quant_conv.weight");
    sizes.decodesOverTime = tensors.has("decoder.time_conv_out.weight");
    const auto* query = tensors.find("encoder.mid_block.attentions.0.to_q.weight");
    if (!query) query = tensors.find("decoder.mid_block.attentions.0.to_q.weight");
    const bool known = sizes.channels == published && sizes.blocks == 2;
    Json told = {{"latent_channels", sizes.latents},   {"pixel_channels", sizes.pixels},
                 {"channels", sizes.channels},         {"blocks", sizes.blocks},
                 {"norm_groups", sizes.groups},        {"quant_convolutions", sizes.quantConvolutions},
                 {"space_factor", sizes.spaceFactor()}};
    if (sizes.decodesOverTime) told["decodes_over_time"] = true;
    return Family{"autoencoder_kl",
                  !known                  ? ""
                  : sizes.decodesOverTime ? "Stable Video Diffusion VAE"
                  : sizes.latents == 4    ? "Stable Diffusion VAE"
                  : sizes.latents == 16   ? "Stable Diffusion 3 or Flux VAE"
                                          : "",
                  std::move(told), sdVaeTensors(sizes, query && query->size() == 4)};
}

}  // namespace dailies::trainer::pretrained
