#include "trainer/pretrained/families/wan_vae.h"

#include <algorithm>

// Names and sizes are those of Wan-Video (wan/modules/vae.py, vae2_2.py) and of diffusers' AutoencoderKLWan.

namespace dailies::trainer::pretrained {

namespace {

using Layout = WanVaeLayout;
constexpr auto kLevels = Layout::kLevels;
constexpr int kSpaceFactor21 = 8, kSpaceFactor22 = 16;

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
    for (std::size_t level = 0; level < kLevels; ++level) {
        for (std::size_t i = 0; i < Layout::kEncoderBlocks; ++i) {
            residualBlock(all, Layout::encoderBlock(sizes.residual, level, i), width, sizes.encoder[level]);
            width = sizes.encoder[level];
        }
        if (level + 1 == kLevels) break;
        const auto step = Layout::encoderStep(sizes.residual, level);
        convolution(all, step + ".resample.1", {width, width, 3, 3});
        if (Layout::kHalvesFrames[level]) convolution(all, step + ".time_conv", {width, width, 3, 1, 1});
    }
    middle(all, "encoder", width);
    head(all, "encoder", width, 2 * sizes.latents);  // mean and logarithm of the variance
}

void decoder(NamedShapes& all, const WanVaeSizes& sizes) {
    auto width = sizes.decoder.front();
    causal(all, "decoder.conv_in", width, sizes.latents);
    middle(all, "decoder", width);
    for (std::size_t level = 0; level < kLevels; ++level) {
        for (std::size_t i = 0; i < Layout::kDecoderBlocks; ++i) {
            residualBlock(all, Layout::decoderBlock(level, i), width, sizes.decoder[level]);
            width = sizes.decoder[level];
        }
        if (level + 1 == kLevels) break;
        const auto step = Layout::decoderStep(sizes.residual, level);
        const auto out = sizes.residual ? width : width / 2;
        convolution(all, step + ".resample.1", {out, width, 3, 3});
        if (Layout::kDoublesFrames[level]) convolution(all, step + ".time_conv", {2 * width, width, 3, 1, 1});
        width = out;
    }
    head(all, "decoder", width, sizes.pixels);
}

constexpr auto kDecoderBlocks = static_cast<std::int64_t>(Layout::kDecoderBlocks);

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
    constexpr auto kEncoder = static_cast<std::int64_t>(Layout::kEncoderBlocks);
    if (inner->number >= (down ? kEncoder : kDecoderBlocks))
        return group + (down ? ".downsampler." : ".upsampler.") + inner->rest;
    return group + ".resnets." + std::to_string(inner->number) + "." + residualName(inner->rest);
}

std::string downName(const BlockName& block) {
    if (auto nested = nestedName(block, true); !nested.empty()) return nested;
    return "encoder.down_blocks." + std::to_string(block.number) + "." + residualName(block.rest);
}

std::string upName(const BlockName& block) {
    if (auto nested = nestedName(block, false); !nested.empty()) return nested;
    // in 2.1 blocks and steps stand in one list
    const auto level = block.number / (kDecoderBlocks + 1), place = block.number % (kDecoderBlocks + 1);
    const auto group = "decoder.up_blocks." + std::to_string(level);
    if (place == kDecoderBlocks) return group + ".upsamplers.0." + block.rest;
    return group + ".resnets." + std::to_string(place) + "." + residualName(block.rest);
}

const ValueScale kScale21 = {{-0.7571, -0.7089, -0.9113, 0.1075, -0.1745, 0.9653, -0.1517, 1.5508, 0.4134,
                              -0.0715, 0.5517, -0.3632, -0.1922, -0.9497, 0.2503, -0.2921},
                             {2.8184, 1.4541, 2.3275, 2.6558, 1.2196, 1.7708, 2.6052, 2.0743, 3.2687, 2.1526,
                              2.8652, 1.5579, 1.6382, 1.1253, 2.8251, 1.9160}};
const ValueScale kScale22 = {
    {-0.2289, -0.0052, -0.1323, -0.2339, -0.2799, 0.0174,  0.1838,  0.1557,  -0.1382, 0.0542,
     0.2813,  0.0891,  0.1570,  -0.0098, 0.0375,  -0.1825, -0.2246, -0.1207, -0.0698, 0.5109,
     0.2665,  -0.2108, -0.2158, 0.2502,  -0.2055, -0.0322, 0.1109,  0.1567,  -0.0729, 0.0899,
     -0.2799, -0.1230, -0.0313, -0.1649, 0.0117,  0.0723,  -0.2839, -0.2083, -0.0520, 0.3748,
     0.0152,  0.1957,  0.1433,  -0.2944, 0.3573,  -0.0548, -0.1681, -0.0667},
    {0.4765, 1.0364, 0.4514, 1.1677, 0.5313, 0.4990, 0.4818, 0.5013, 0.8158, 1.0344, 0.5894, 1.0901,
     0.6885, 0.6165, 0.8454, 0.4978, 0.5759, 0.3523, 0.7135, 0.6804, 0.5833, 1.4146, 0.8986, 0.5659,
     0.7069, 0.5338, 0.4889, 0.4917, 0.4069, 0.4999, 0.6866, 0.4093, 0.5709, 0.6065, 0.6415, 0.4944,
     0.5726, 1.2042, 0.5458, 1.6887, 0.3971, 1.0600, 0.3943, 0.5537, 0.5444, 0.4089, 0.7468, 0.7744}};

std::int64_t widthOf(const TensorTable& tensors, const std::string& block, std::int64_t otherwise) {
    const auto found = tensors.axis({block + ".conv1.weight"}, 0);
    return found && inReason(*found) ? *found : otherwise;
}

}  // namespace

std::string WanVaeLayout::encoderBlock(bool residual, std::size_t level, std::size_t block) {
    if (residual) return at(at("encoder.down_blocks", level) + ".resnets", block);
    return at("encoder.down_blocks", level * (kEncoderBlocks + 1) + block);  // one list, with the steps
}

std::string WanVaeLayout::encoderStep(bool residual, std::size_t level) {
    if (residual) return at("encoder.down_blocks", level) + ".downsampler";
    return encoderBlock(false, level, kEncoderBlocks);
}

std::string WanVaeLayout::decoderBlock(std::size_t level, std::size_t block) {
    return at(at("decoder.up_blocks", level) + ".resnets", block);
}

std::string WanVaeLayout::decoderStep(bool residual, std::size_t level) {
    return at("decoder.up_blocks", level) + (residual ? ".upsampler" : ".upsamplers.0");
}

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

std::optional<ValueScale> wanVaeLatentScale(std::int64_t channels) {
    if (channels == 16) return kScale21;
    if (channels == 48) return kScale22;
    return std::nullopt;
}

WanVaeSizes wanVaeSizes(const Json& sizes) {
    return {sizes.at("space_factor") == kSpaceFactor22, sizes.at("pixel_channels"),
            sizes.at("latent_channels"), sizes.at("encoder_channels").get<Extents>(),
            sizes.at("decoder_channels").get<Extents>()};
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
        sizes.encoder[level] =
            widthOf(tensors, Layout::encoderBlock(sizes.residual, level, 0), sizes.encoder[level]);
        sizes.decoder[level] = widthOf(tensors, Layout::decoderBlock(level, 2), sizes.decoder[level]);
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
                   {"space_factor", sizes.residual ? kSpaceFactor22 : kSpaceFactor21},
                   {"time_factor", 4}},
                  wanVaeTensors(sizes)};
}

}  // namespace dailies::trainer::pretrained
