#include "trainer/pretrained/families/video_unet.h"

#include "trainer/models/layers/picture_shapes.h"
#include "trainer/pretrained/families/sd_unet.h"

#include <algorithm>

// Names are those of diffusers' UNetSpatioTemporalConditionModel and of MimicMotion (modules/pose_net.py,
// utils/loader.py: MimicMotionModel), whose file holds both nets, and of Stability's generative-models.

namespace dailies::trainer::pretrained {

namespace {

const std::string kVideoUnetPart = "unet.", kPoseNetPart = "pose_net.";

void appendBehind(NamedShapes& all, const std::string& part, const NamedShapes& tensors) {
    for (const auto& [name, shape] : tensors) all.push_back({part + name, shape});
}

unet::SpatioTemporalSizes videoUnetSizesOf(const TensorTable& tensors, const Hints& hints) {
    constexpr std::int64_t kMostLevels = 8, kMostBlocks = 16;
    unet::SpatioTemporalSizes sizes;
    const auto read = [&](std::int64_t& size, const std::string& name, std::size_t axis) {
        if (const auto found = tensors.axis({kVideoUnetPart + name}, axis); found && inReason(*found))
            size = *found;
    };
    read(sizes.inputs, "conv_in.weight", 1);
    read(sizes.outputs, "conv_out.weight", 0);
    read(sizes.context, "down_blocks.0.attentions.0.transformer_blocks.0.attn2.to_k.weight", 1);
    auto labels = unet::kLabels * sizes.labelWidth;
    read(labels, "add_embedding.linear_1.weight", 1);
    sizes.labelWidth = labels / unet::kLabels;
    auto& levels = sizes.levels;
    const auto published = levels.channels;
    const auto count = countedBlocks(tensors, kVideoUnetPart + "down_blocks.", kMostLevels, 0,
                                     static_cast<std::int64_t>(published.size()));
    levels.channels.resize(static_cast<std::size_t>(count), published.back());
    for (std::size_t level = 0; level < levels.count(); ++level)
        read(levels.channels[level],
             "down_blocks." + std::to_string(level) + ".resnets.0.spatial_res_block.conv1.weight", 0);
    levels.blocks =
        countedBlocks(tensors, kVideoUnetPart + "down_blocks.0.resnets.", kMostBlocks, 0, levels.blocks);
    if (const auto heads = hints.config.find("num_attention_heads"); heads != hints.config.end() &&
                                                                     heads->is_array() && !heads->empty() &&
                                                                     heads->front().is_number_integer())
        if (const auto first = heads->front().get<std::int64_t>(); inReason(first))
            sizes.headWidth = levels.channels.front() / first;
    return sizes;
}

unet::PoseNetSizes releasedPoseNet(const TensorTable& tensors, std::int64_t outputs) {
    unet::PoseNetSizes sizes;
    sizes.outputs = outputs;
    auto shrinks = std::int64_t{1};
    for (std::size_t i = 0; i < sizes.widths.size(); ++i) {
        const auto name = kPoseNetPart + numbered("conv_layers", static_cast<std::int64_t>(4 * i + 2));
        const auto* weight = tensors.find(name + ".weight");
        if (!weight || weight->size() != 4) continue;
        sizes.widths[i] = weight->front();
        if (weight->back() % 2 == 0) shrinks *= 2;
    }
    sizes.shrinks = shrinks;
    return sizes;
}

}  // namespace

std::string videoUnetName(const std::string& name) {
    return name.starts_with(kVideoUnetPart) || name.starts_with(kPoseNetPart) ? name : kVideoUnetPart + name;
}

std::string videoUnetOriginalName(const std::string& original) {
    const auto name =
        unetDiffusersName(replacePrefix(original, {{"label_emb.0.0.", "add_embedding.linear_1."},
                                                   {"label_emb.0.2.", "add_embedding.linear_2."}}));
    const std::string inTime = "time_stack.";
    const auto partOf = [&](const char* list) -> std::size_t {
        const auto found = name.find(list);
        return found == std::string::npos ? found : name.find('.', found + std::string(list).size()) + 1;
    };
    if (const auto at = partOf(".resnets."); at != std::string::npos) {
        const auto block = name.substr(0, at), part = name.substr(at);
        if (part.starts_with("time_mixer.")) return kVideoUnetPart + name;
        return kVideoUnetPart + block +
               (part.starts_with(inTime)
                    ? "temporal_res_block." + residualDiffusersName(part.substr(inTime.size()))
                    : "spatial_res_block." + part);
    }
    const auto at = partOf(".attentions.");
    if (at == std::string::npos) return kVideoUnetPart + name;
    return kVideoUnetPart + name.substr(0, at) +
           replacePrefix(name.substr(at), {{"time_stack.", "temporal_transformer_blocks."},
                                           {"time_pos_embed.0.", "time_pos_embed.linear_1."},
                                           {"time_pos_embed.2.", "time_pos_embed.linear_2."}});
}

std::optional<Family> recogniseVideoUnet(const TensorTable& tensors, const Hints& hints) {
    for (const auto* name : {"conv_in.weight", "add_embedding.linear_1.weight",
                             "down_blocks.0.resnets.0.temporal_res_block.conv1.weight"})
        if (!tensors.has(kVideoUnetPart + name)) return std::nullopt;
    const auto sizes = videoUnetSizesOf(tensors, hints);
    const unet::SpatioTemporalSizes published;
    const bool known = sizes.levels.channels == published.levels.channels &&
                       sizes.levels.blocks == published.levels.blocks && sizes.inputs == published.inputs &&
                       sizes.context == published.context;
    const bool poses = tensors.has(kPoseNetPart + "final_proj.weight");
    Family family{"mimic-motion",
                  !known  ? ""
                  : poses ? "MimicMotion"
                          : "Stable Video Diffusion",
                  {{"dim", sizes.levels.channels.front()},
                   {"layers", sizes.levels.blocks},
                   {"heads", sizes.levels.channels.front() / std::max<std::int64_t>(sizes.headWidth, 1)},
                   {"channels", sizes.levels.channels},
                   {"in_channels", sizes.inputs},
                   {"out_channels", sizes.outputs},
                   {"image_dim", sizes.context}}};
    if (poses) family.sizes["pose_net"] = true;
    appendBehind(family.expected, kVideoUnetPart, unet::spatioTemporalTensors(sizes));
    if (poses)
        appendBehind(family.expected, kPoseNetPart,
                     unet::poseNetTensors(releasedPoseNet(tensors, sizes.levels.channels.front())));
    return family;
}

}  // namespace dailies::trainer::pretrained
