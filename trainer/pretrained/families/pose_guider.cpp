#include "trainer/pretrained/families/pose_guider.h"

#include "trainer/models/layers/picture_shapes.h"

// Names are those of Moore-AnimateAnyone's pose_guider.pth, which begins as a ControlNet's, and of Champ's
// guidance_encoder_depth.pth and its like (models/guidance_encoder.py), and sizes those of its convolutions,
// 3 × 3 each.

namespace dailies::trainer::pretrained {

namespace {

constexpr const char *kUsedTransformer = "attentions.5.", *kOurTransformer = "attention.";

}  // namespace

std::string poseGuiderName(const std::string& name) {
    return replacePrefix(name, {{kUsedTransformer, kOurTransformer}});
}

bool isUnusedByChamp(const std::string& name) {
    return name.starts_with("attentions.") || name.starts_with("guidance_attention.");
}

unet::GuiderSizes guiderSizes(const Json& sizes) {
    return {.colours = sizes.at("colours"),
            .widths = sizes.at("widths").get<Extents>(),
            .outputs = sizes.at("outputs"),
            .attends = sizes.at("attends")};
}

std::optional<Family> recognisePoseGuider(const TensorTable& tensors, const Hints&) {
    const auto* first = tensors.find("conv_in.weight");
    const auto* last = tensors.find("conv_out.weight");
    const auto* block = tensors.find("blocks.0.weight");
    for (const auto* weight : {first, last, block})
        if (!weight || weight->size() != 4) return std::nullopt;
    constexpr std::int64_t kMostBlocks = 16;
    const auto blocks = countedBlocks(tensors, "blocks.", kMostBlocks, 0, 6);
    unet::GuiderSizes sizes;
    sizes.outputs = last->front();
    sizes.colours = first->at(1);
    sizes.widths = {first->front()};
    for (std::int64_t i = 1; i < blocks; i += 2)
        sizes.widths.push_back(
            tensors.axis({numbered("blocks", i) + ".weight"}, 0).value_or(sizes.widths.back()));
    const auto has = [&](const std::string& name) { return tensors.has(name + ".norm.weight"); };
    sizes.attends = has("attention");
    auto expected = unet::guiderTensors(sizes);
    if (sizes.attends) {
        for (std::int64_t i = 0; i + 1 < blocks; ++i)
            if (const auto name = numbered("attentions", i); has(name))
                unet::addPictureTransformer(expected, name, sizes.widths[static_cast<std::size_t>(i + 1) / 2],
                                            0);
        if (has("guidance_attention"))
            unet::addPictureTransformer(expected, "guidance_attention", sizes.widths.back(), 0);
    }
    const bool published = sizes.widths == unet::GuiderSizes().widths && sizes.outputs == 320;
    return Family{sizes.attends ? "guidance_encoder" : "pose_guider",
                  !published      ? ""
                  : sizes.attends ? "guidance encoder of Champ"
                                  : "pose guider of Animate Anyone",
                  {{"colours", sizes.colours},
                   {"widths", sizes.widths},
                   {"outputs", sizes.outputs},
                   {"attends", sizes.attends}},
                  std::move(expected)};
}

}  // namespace dailies::trainer::pretrained
