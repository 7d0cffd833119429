#include "trainer/pretrained/families/ltx_vae.h"

#include <algorithm>
#include <array>

// Names and sizes are those of diffusers' AutoencoderKLLTXVideo and of its
// scripts/convert_ltx_to_diffusers.py (loaders/single_file_utils.py for 0.9.5).

namespace dailies::trainer::pretrained {

namespace {

constexpr std::int64_t kOctet = 8;         // of two frames, rows and columns
constexpr std::int64_t kLtxVaeTime = 256;  // sinusoids of a level of noise
constexpr std::int64_t kBlockRows = 4;     // shift and scale of a block's two norms
constexpr std::int64_t kMostOfAList = 64;  // levels, or blocks of one: names may claim any number

std::string level(const char* list, std::size_t index) {
    return std::string(list) + std::to_string(index) + ".";
}

std::int64_t product(const Extents& extents) {
    std::int64_t all = 1;
    for (const auto extent : extents) all *= extent;
    return all;
}

void frames(NamedShapes& all, const std::string& name, std::int64_t out, std::int64_t in,
            std::int64_t kernel = 3) {
    all.push_back({name + ".conv.weight", {out, in, kernel, kernel, kernel}});
    all.push_back({name + ".conv.bias", {out}});
}

struct BlockKind {
    bool noise = false, timed = false;
};

void residual(NamedShapes& all, const std::string& name, std::int64_t in, std::int64_t out,
              const BlockKind& kind = {}) {
    frames(all, name + ".conv1", out, in);
    frames(all, name + ".conv2", out, out);
    if (in != out) {
        all.push_back({name + ".norm3.weight", {in}});
        all.push_back({name + ".norm3.bias", {in}});
        frames(all, name + ".conv_shortcut", out, in, 1);
    }
    for (const auto* scale : {".per_channel_scale1", ".per_channel_scale2"})
        if (kind.noise) all.push_back({name + scale, {in, 1, 1}});
    if (kind.timed) all.push_back({name + ".scale_shift_table", {kBlockRows, in}});
}

void blocks(NamedShapes& all, const std::string& name, std::int64_t count, std::int64_t width,
            const BlockKind& kind = {}) {
    for (std::int64_t i = 0; i < count; ++i)
        residual(all, name + "resnets." + std::to_string(i), width, width, kind);
}

void timeEmbedder(NamedShapes& all, const std::string& name, std::int64_t width) {
    addLinear(all, name + "time_embedder.timestep_embedder.linear_1", width, kLtxVaeTime);
    addLinear(all, name + "time_embedder.timestep_embedder.linear_2", width, width);
}

void encoder(NamedShapes& all, const LtxVaeSizes& sizes) {
    frames(all, "encoder.conv_in", sizes.encoder.front().width, sizes.pixels);
    for (std::size_t i = 0; i < sizes.encoder.size(); ++i) {
        const auto& down = sizes.encoder[i];
        const auto name = level("encoder.down_blocks.", i);
        blocks(all, name, down.blocks, down.width);
        if (!down.strides.empty() && down.folds)
            frames(all, name + "downsamplers.0.conv", down.outputs / product(down.strides), down.width);
        else if (!down.strides.empty())
            frames(all, name + "downsamplers.0", down.width, down.width);
        if (!down.folds && down.outputs != down.width)
            residual(all, name + "conv_out", down.width, down.outputs);
    }
    const auto width = sizes.encoder.back().outputs;
    blocks(all, "encoder.mid_block.", sizes.encoderBlocks, width);
    frames(all, "encoder.conv_out", sizes.latents + 1, width);  // one logarithm of the variance for all
}

void decoder(NamedShapes& all, const LtxVaeSizes& sizes) {
    frames(all, "decoder.conv_in", sizes.decoderWidth, sizes.latents);
    if (sizes.timed) timeEmbedder(all, "decoder.mid_block.", kBlockRows * sizes.decoderWidth);
    blocks(all, "decoder.mid_block.", sizes.decoderBlocks, sizes.decoderWidth,
           {sizes.decoderNoise, sizes.timed});
    for (std::size_t i = 0; i < sizes.decoder.size(); ++i) {
        const auto& up = sizes.decoder[i];
        const auto name = level("decoder.up_blocks.", i);
        const BlockKind kind{up.noise, sizes.timed};
        if (up.inputs != up.width) residual(all, name + "conv_in", up.inputs, up.width, kind);
        if (up.doubles) frames(all, name + "upsamplers.0.conv", kOctet * up.width, up.factor * up.width);
        if (sizes.timed) timeEmbedder(all, name, kBlockRows * up.width);
        blocks(all, name, up.blocks, up.width, kind);
    }
    const auto width = sizes.decoder.back().width;
    if (sizes.timed) {
        timeEmbedder(all, "decoder.", 2 * width);
        all.push_back({"decoder.scale_shift_table", {2, width}});
        all.push_back({"decoder.timestep_scale_multiplier", {}});
    }
    frames(all, "decoder.conv_out", sizes.pixels, width);
}

std::int64_t sizeOf(const TensorTable& tensors, const std::string& name, std::size_t axis) {
    const auto found = tensors.axis({name}, axis);
    return found && inReason(*found) ? *found : 0;
}

/// Whether a list has one of a name that another list's mapping makes: a block behind a step.
bool isMisnamed(const TensorTable& tensors) {
    return std::ranges::any_of(tensors.shapes(), [](const auto& each) {
        for (const auto* place : {"samplers.0.resnets.", "conv_in.resnets.", "conv_out.resnets.",
                                  ".res_blocks.", "blocks.0.conv.", "mid_block.conv."})
            if (each.first.find(place) != std::string::npos) return true;
        return false;
    });
}

std::vector<LtxVaeSizes::Down> encoderLevels(const TensorTable& tensors) {
    std::vector<LtxVaeSizes::Down> levels;
    const auto count = std::min(tensors.blocks("encoder.down_blocks."), kMostOfAList);
    for (std::int64_t i = 0; i < count; ++i) {
        const auto name = level("encoder.down_blocks.", static_cast<std::size_t>(i));
        LtxVaeSizes::Down down;
        down.width = sizeOf(tensors, name + "resnets.0.conv1.conv.weight", 0);
        down.outputs = down.width;
        down.blocks = std::min(tensors.blocks(name + "resnets."), kMostOfAList);
        down.folds = tensors.has(name + "downsamplers.0.conv.conv.weight");
        if (tensors.has(name + "downsamplers.0.conv.weight")) down.strides = {2, 2, 2};
        if (const auto wider = sizeOf(tensors, name + "conv_out.conv1.conv.weight", 0)) down.outputs = wider;
        levels.push_back(down);
    }
    const auto middle = sizeOf(tensors, "encoder.mid_block.resnets.0.conv1.conv.weight", 1);
    for (std::size_t i = 0; i < levels.size(); ++i) {
        auto& down = levels[i];
        if (!down.folds) continue;
        // what the next level reads tells how many neighbours became channels
        down.outputs = i + 1 < levels.size() ? levels[i + 1].width : middle;
        const auto each =
            sizeOf(tensors, level("encoder.down_blocks.", i) + "downsamplers.0.conv.conv.weight", 0);
        const auto neighbours = each > 0 ? down.outputs / each : 0;
        down.strides = neighbours == 2   ? Extents{2, 1, 1}
                       : neighbours == 4 ? Extents{1, 2, 2}
                                         : Extents{2, 2, 2};
    }
    return levels;
}

std::vector<LtxVaeSizes::Up> decoderLevels(const TensorTable& tensors, std::int64_t before) {
    std::vector<LtxVaeSizes::Up> levels;
    const auto count = std::min(tensors.blocks("decoder.up_blocks."), kMostOfAList);
    for (std::int64_t i = 0; i < count; ++i) {
        const auto name = level("decoder.up_blocks.", static_cast<std::size_t>(i));
        LtxVaeSizes::Up up;
        up.width = sizeOf(tensors, name + "resnets.0.conv1.conv.weight", 0);
        up.blocks = std::min(tensors.blocks(name + "resnets."), kMostOfAList);
        up.doubles = tensors.has(name + "upsamplers.0.conv.conv.weight");
        if (const auto read = sizeOf(tensors, name + "upsamplers.0.conv.conv.weight", 1);
            read > 0 && up.width > 0)
            up.factor = std::max<std::int64_t>(1, read / up.width);
        up.noise = tensors.has(name + "resnets.0.per_channel_scale1");
        up.inputs = before / up.factor;
        before = up.width;
        levels.push_back(up);
    }
    return levels;
}

/// The step or level that a number of an original list stands for.
using Numbered = std::array<const char*, 10>;

constexpr Numbered kDecoder090 = {"mid_block",   "up_blocks.0",         "up_blocks.1.upsamplers.0",
                                  "up_blocks.1", "up_blocks.2.conv_in", "up_blocks.2.upsamplers.0",
                                  "up_blocks.2", "up_blocks.3.conv_in", "up_blocks.3.upsamplers.0",
                                  "up_blocks.3"};
constexpr Numbered kDecoder091 = {"mid_block",   "up_blocks.0.upsamplers.0",
                                  "up_blocks.0", "up_blocks.1.upsamplers.0",
                                  "up_blocks.1", "up_blocks.2.upsamplers.0",
                                  "up_blocks.2", "up_blocks.3.upsamplers.0",
                                  "up_blocks.3", "up_blocks.4"};
constexpr Numbered kEncoder090 = {"down_blocks.0", "down_blocks.0.downsamplers.0", "down_blocks.0.conv_out",
                                  "down_blocks.1", "down_blocks.1.downsamplers.0", "down_blocks.1.conv_out",
                                  "down_blocks.2", "down_blocks.2.downsamplers.0", "down_blocks.3",
                                  "mid_block"};
constexpr Numbered kEncoder095 = {"down_blocks.0", "down_blocks.0.downsamplers.0",
                                  "down_blocks.1", "down_blocks.1.downsamplers.0",
                                  "down_blocks.2", "down_blocks.2.downsamplers.0",
                                  "down_blocks.3", "down_blocks.3.downsamplers.0",
                                  "mid_block",     "down_blocks.4"};

std::string replaced(std::string name, std::string_view old, std::string_view with) {
    if (const auto at = name.find(old); at != std::string::npos) name.replace(at, old.size(), with);
    return name;
}

std::string ltxVaeName(const std::string& name, const Numbered& encoder, const Numbered& decoder) {
    if (name == "per_channel_statistics.mean-of-means") return "latents_mean";
    if (name == "per_channel_statistics.std-of-means") return "latents_std";
    for (const auto& [half, list, numbered] :
         {std::tuple{"encoder.", "down_blocks.", &encoder}, {"decoder.", "up_blocks.", &decoder}}) {
        const auto block = splitBlock(name, std::string(half) + list);
        if (!block || block->number >= static_cast<std::int64_t>(numbered->size())) continue;
        auto rest = replaced(block->rest, "res_blocks.", "resnets.");
        rest = replaced(replaced(rest, "norm3.norm.", "norm3."), "conv_shortcut.", "conv_shortcut.conv.");
        return half + std::string((*numbered)[static_cast<std::size_t>(block->number)]) + "." + rest;
    }
    return replaced(replaced(name, "last_time_embedder", "time_embedder"), "last_scale_shift_table",
                    "scale_shift_table");
}

}  // namespace

std::int64_t LtxVaeSizes::spaceFactor() const {
    std::int64_t factor = kPatch;
    for (const auto& down : encoder)
        if (!down.strides.empty()) factor *= down.strides[1];
    return factor;
}

std::int64_t LtxVaeSizes::framesFactor() const {
    std::int64_t factor = 1;
    for (const auto& down : encoder)
        if (!down.strides.empty()) factor *= down.strides[0];
    return factor;
}

NamedShapes ltxVaeTensors(const LtxVaeSizes& sizes) {
    NamedShapes all;
    encoder(all, sizes);
    decoder(all, sizes);
    for (const auto* name : {"latents_mean", "latents_std"}) all.push_back({name, {sizes.latents}});
    return all;
}

std::string ltxVae090Name(const std::string& original) {
    return ltxVaeName(original, kEncoder090, kDecoder090);
}

std::string ltxVae091Name(const std::string& original) {
    return ltxVaeName(original, kEncoder090, kDecoder091);
}

std::string ltxVae095Name(const std::string& original) {
    return ltxVaeName(original, kEncoder095, kDecoder091);
}

std::optional<LtxVaeSizes> ltxVaeSizes(const TensorTable& tensors) {
    LtxVaeSizes sizes;
    sizes.latents = sizeOf(tensors, "decoder.conv_in.conv.weight", 1);
    sizes.pixels = sizeOf(tensors, "encoder.conv_in.conv.weight", 1);
    sizes.encoder = encoderLevels(tensors);
    sizes.encoderBlocks = std::min(tensors.blocks("encoder.mid_block.resnets."), kMostOfAList);
    sizes.decoderWidth = sizeOf(tensors, "decoder.conv_in.conv.weight", 0);
    sizes.decoder = decoderLevels(tensors, sizes.decoderWidth);
    sizes.decoderBlocks = std::min(tensors.blocks("decoder.mid_block.resnets."), kMostOfAList);
    sizes.decoderNoise = tensors.has("decoder.mid_block.resnets.0.per_channel_scale1");
    sizes.timed = tensors.has("decoder.scale_shift_table");
    const auto known = [](const auto& level) { return level.width > 0 && level.blocks > 0; };
    // what stands beside a step takes channels for neighbours
    const auto folds = [](const LtxVaeSizes::Down& down) {
        return !down.folds || (down.outputs > 0 && down.width * product(down.strides) % down.outputs == 0);
    };
    const auto unfolds = [](const LtxVaeSizes::Up& up) {
        return up.factor == 1 || up.factor * up.width % kOctet == 0;
    };
    const bool whole =
        sizes.latents > 0 && sizes.pixels > 0 && sizes.decoderWidth > 0 && !sizes.encoder.empty() &&
        !sizes.decoder.empty() && std::ranges::all_of(sizes.encoder, known) &&
        std::ranges::all_of(sizes.decoder, known) && std::ranges::all_of(sizes.encoder, folds) &&
        std::ranges::all_of(sizes.decoder, unfolds);
    if (!whole || isMisnamed(tensors)) return std::nullopt;
    return sizes;
}

std::optional<Family> recogniseLtxVae(const TensorTable& tensors, const Hints&) {
    const auto sizes = ltxVaeSizes(tensors);
    if (!sizes) return std::nullopt;
    Extents down, up;
    for (const auto& each : sizes->encoder) down.push_back(each.width);
    for (const auto& each : sizes->decoder) up.push_back(each.width);
    const bool published = sizes->latents == 128 && down.front() == 128 && up.back() == 128;
    auto expected = ltxVaeTensors(*sizes);
    // statistics of its training, which nothing reads
    for (const auto& [name, shape] : tensors.shapes())
        if (name.starts_with("per_channel_statistics.")) expected.push_back({name, shape});
    return Family{"ltx_vae",
                  !published                     ? ""
                  : sizes->encoder.front().folds ? "LTX-Video VAE 0.9.5"
                  : sizes->timed                 ? "LTX-Video VAE 0.9.1"
                                                 : "LTX-Video VAE 0.9.0",
                  {{"latent_channels", sizes->latents},
                   {"pixel_channels", sizes->pixels},
                   {"encoder_channels", down},
                   {"decoder_channels", up},
                   {"space_factor", sizes->spaceFactor()},
                   {"time_factor", sizes->framesFactor()}},
                  expected};
}

}  // namespace dailies::trainer::pretrained
