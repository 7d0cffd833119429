#include "trainer/pretrained/families/wan_vae.h"

#include <algorithm>

// Names and sizes are those of Wan-Video (wan/modules/vae.py, vae2_2.py) and of diffusers' AutoencoderKLWan.

namespace dailies::trainer::pretrained {

namespace {

constexpr std::size_t kLevels = 4;
constexpr int kEncoderBlocks = 2, kDecoderBlocks = 3;  // residual blocks of a level
// whether the step behind a level changes the number of frames, too
constexpr bool kHalvesTime[kLevels - 1] = {false, true, true};
constexpr bool kDoublesTime[kLevels - 1] = {true, true, false};

std::string at(const std::string& list, std::size_t i) {
    return list + "." + std::to_string(i);
}

void convolution(NamedShapes& all, const std::string& name, const Extents& weight) {
    all.push_back({name + ".weight", weight});
    all.push_back({name + ".bias", {weight.front()}});
}

void causal(NamedShapes& all, const std::string& name, std::int64_t out, std::int64_t in) {
    convolution(all, name, {out, in, 3, 3, 3});
}

void residualBlock(NamedShapes& all, const std::string& name, std::int64_t in, std::int64_t out) {
    all.push_back({name + ".norm1.gamma", {in, 1, 1, 1}});
    causal(all, name + ".conv1", out, in);
    all.push_back({name + ".norm2.gamma", {out, 1, 1, 1}});
    causal(all, name + ".conv2", out, out);
    if (in != out) convolution(all, name + ".conv_shortcut", {out, in, 1, 1, 1});
}

void middle(NamedShapes& all, const std::string& half, std::int64_t width) {
    const auto attention = half + ".mid_block.attentions.0";
    all.push_back({attention + ".norm.gamma", {width, 1, 1}});
    convolution(all, attention + ".to_qkv", {3 * width, width, 1, 1});
    convolution(all, attention + ".proj", {width, width, 1, 1});
    residualBlock(all, half + ".mid_block.resnets.0", width, width);
    residualBlock(all, half + ".mid_block.resnets.1", width, width);
}

void head(NamedShapes& all, const std::string& half, std::int64_t in, std::int64_t out) {
    all.push_back({half + ".norm_out.gamma", {in, 1, 1, 1}});
    causal(all, half + ".conv_out", out, in);
}

void encoder(NamedShapes& all, const WanVaeSizes& sizes) {
    auto width = sizes.encoder.front();
    causal(all, "encoder.conv_in", width, sizes.pixels);
    std::size_t place = 0;  // in 2.1 blocks and steps stand in one list
    for (std::size_t level = 0; level < kLevels; ++level) {
        const auto group = at("encoder.down_blocks", level);
        for (int i = 0; i < kEncoderBlocks; ++i) {
            const auto block = sizes.residual ? at(group + ".resnets", static_cast<std::size_t>(i))
                                              : at("encoder.down_blocks", place++);
            residualBlock(all, block, width, sizes.encoder[level]);
            width = sizes.encoder[level];
        }
        if (level + 1 == kLevels) break;
        const auto step = sizes.residual ? group + ".downsampler" : at("encoder.down_blocks", place++);
        convolution(all, step + ".resample.1", {width, width, 3, 3});
        if (kHalvesTime[level]) convolution(all, step + ".time_conv", {width, width, 3, 1, 1});
    }
    middle(all, "encoder", width);
    head(all, "encoder", width, 2 * sizes.latents);  // mean and logarithm of the variance
}

void decoder(NamedShapes& all, const WanVaeSizes& sizes) {
    auto width = sizes.decoder.front();
    causal(all, "decoder.conv_in", width, sizes.latents);
    middle(all, "decoder", width);
    for (std::size_t level = 0; level < kLevels; ++level) {
        const auto group = at("decoder.up_blocks", level);
        for (std::size_t i = 0; i < kDecoderBlocks; ++i) {
            residualBlock(all, at(group + ".resnets", i), width, sizes.decoder[level]);
            width = sizes.decoder[level];
        }
        if (level + 1 == kLevels) break;
        const auto step = group + (sizes.residual ? ".upsampler" : ".upsamplers.0");
        const auto out = sizes.residual ? width : width / 2;
        convolution(all, step + ".resample.1", {out, width, 3, 3});
        if (kDoublesTime[level]) convolution(all, step + ".time_conv", {2 * width, width, 3, 1, 1});
        width = out;
    }
    head(all, "decoder", width, sizes.pixels);
}

std::string residualName(const std::string& rest) {
    return replacePrefix(rest, {{"residual.0.", "norm1."},
                                {"residual.2.", "conv1."},
                                {"residual.3.", "norm2."},
                                {"residual.6.", "conv2."},
                                {"shortcut.", "conv_shortcut."}});
}

/// 2.2: "encoder.downsamples.1.downsamples.0.residual.0.gamma".
std::string nestedName(const BlockName& level, bool down) {
    const auto inner = splitBlock(level.rest, down ? "downsamples." : "upsamples.");
    if (!inner) return "";
    const auto group = (down ? "encoder.down_blocks." : "decoder.up_blocks.") + std::to_string(level.number);
    const auto blocks = down ? kEncoderBlocks : kDecoderBlocks;
    if (inner->number >= blocks) return group + (down ? ".downsampler." : ".upsampler.") + inner->rest;
    return group + ".resnets." + std::to_string(inner->number) + "." + residualName(inner->rest);
}

std::string downName(const BlockName& block) {
    if (auto nested = nestedName(block, true); !nested.empty()) return nested;
    return "encoder.down_blocks." + std::to_string(block.number) + "." + residualName(block.rest);
}

std::string upName(const BlockName& block) {
    if (auto nested = nestedName(block, false); !nested.empty()) return nested;
    const auto level = block.number / (kDecoderBlocks + 1), place = block.number % (kDecoderBlocks + 1);
    const auto group = "decoder.up_blocks." + std::to_string(level);
    if (place == kDecoderBlocks) return group + ".upsamplers.0." + block.rest;
    return group + ".resnets." + std::to_string(place) + "." + residualName(block.rest);
}

std::int64_t widthOf(const TensorTable& tensors, const std::string& block, std::int64_t otherwise) {
    const auto found = tensors.axis({block + ".conv1.weight"}, 0);
    return found && inReason(*found) ? *found : otherwise;
}

}  // namespace

NamedShapes wanVaeTensors(const WanVaeSizes& sizes) {
    NamedShapes all;
    encoder(all, sizes);
    convolution(all, "quant_conv", {2 * sizes.latents, 2 * sizes.latents, 1, 1, 1});
    convolution(all, "post_quant_conv", {sizes.latents, sizes.latents, 1, 1, 1});
    decoder(all, sizes);
    return all;
}

std::string wanVaeDiffusersName(const std::string& name) {
    if (const auto block = splitBlock(name, "encoder.downsamples.")) return downName(*block);
    if (const auto block = splitBlock(name, "decoder.upsamples.")) return upName(*block);
    for (const std::string half : {"encoder.", "decoder."}) {
        if (!name.starts_with(half)) continue;
        if (const auto block = splitBlock(name, half + "middle.")) {
            if (block->number == 1) return half + "mid_block.attentions.0." + block->rest;
            const auto* place = block->number == 0 ? "0." : "1.";
            return half + "mid_block.resnets." + place + residualName(block->rest);
        }
        return half +
               replacePrefix(name.substr(half.size()),
                             {{"conv1.", "conv_in."}, {"head.0.", "norm_out."}, {"head.2.", "conv_out."}});
    }
    return replacePrefix(name, {{"conv1.", "quant_conv."}, {"conv2.", "post_quant_conv."}});
}

std::optional<Family> recogniseWanVae(const TensorTable& tensors, const Hints&) {
    const auto* last = tensors.find("decoder.conv_out.weight");
    const auto* first = tensors.find("encoder.conv_in.weight");
    const auto* conv = first ? first : last;
    // the causal convolutions and RMS norms tell it from AutoencoderKL
    const bool isWan = conv && conv->size() == 5 &&
                       (tensors.has("decoder.norm_out.gamma") || tensors.has("encoder.norm_out.gamma"));
    if (!isWan) return std::nullopt;
    WanVaeSizes sizes;
    sizes.residual = tensors.has("encoder.down_blocks.0.resnets.0.conv1.weight") ||
                     tensors.has("decoder.up_blocks.0.upsampler.resample.1.weight");
    if (sizes.residual) sizes = {true, 12, 48, {160, 320, 640, 640}, {1024, 1024, 512, 256}};
    for (std::size_t level = 0; level < kLevels; ++level) {
        const auto down = at("encoder.down_blocks", sizes.residual ? level : 3 * level);
        sizes.encoder[level] =
            widthOf(tensors, sizes.residual ? down + ".resnets.0" : down, sizes.encoder[level]);
        sizes.decoder[level] =
            widthOf(tensors, at("decoder.up_blocks", level) + ".resnets.2", sizes.decoder[level]);
    }
    if (const auto z = tensors.axis({"post_quant_conv.weight"}, 0); z && inReason(*z)) sizes.latents = *z;
    if (const auto in = tensors.axis({"encoder.conv_in.weight"}, 1); in && inReason(*in)) sizes.pixels = *in;
    const bool published = sizes.encoder.front() == (sizes.residual ? 160 : 96);
    return Family{"wan_vae",
                  !published       ? ""
                  : sizes.residual ? "Wan 2.2 VAE"
                                   : "Wan 2.1 VAE",
                  {{"latent_channels", sizes.latents},
                   {"pixel_channels", sizes.pixels},
                   {"encoder_channels", sizes.encoder},
                   {"decoder_channels", sizes.decoder},
                   {"space_factor", sizes.residual ? 16 : 8},
                   {"time_factor", 4}},
                  wanVaeTensors(sizes)};
}

}  // namespace dailies::trainer::pretrained
