#include "trainer/models/unet/unet_model.h"

#include "core/base/error.h"
#include "core/planner/unet_count.h"

#include <torch/types.h>

#include <numeric>

namespace dailies::trainer::unet {

std::int64_t normGroups(std::int64_t width) {
    constexpr std::int64_t kPublished = 32, kChannels = 4;
    return std::gcd(width >= kPublished * kChannels ? width : width / kChannels, kPublished);
}

Levels publishedLevels(const config::TrainConfig::Model& model) {
    const auto width = model.width;
    return {{width, 2 * width, 4 * width, 4 * width}, model.depth};
}

at::Tensor toPlaces(const at::Tensor& clips, std::int64_t size) {
    return at::pixel_unshuffle(clips.permute({0, 1, 4, 2, 3}), size).transpose(1, 2);
}

at::Tensor toClips(const at::Tensor& places, std::int64_t size) {
    return at::pixel_shuffle(places.transpose(1, 2), size).permute({0, 1, 3, 4, 2});
}

at::Tensor haveReference(const Character& characters) {
    return characters.reference.select(-1, 0).flatten(1).amax(1) > 0;
}

at::Tensor referencePictures(const Character& characters) {
    return characters.reference.narrow(-1, 1, characters.reference.size(-1) - 1).unsqueeze(1);
}

const ClipGroup& UnetModel::requireCharacters(const ModelInput& input) const {
    const auto& group = input.groups.front();
    if (input.groups.size() > 1) throw Error("Clips of several sizes cannot be animated in one pass.");
    if (!group.character.defined()) throw Error("The model animates a character, and the batch has none.");
    if (group.character.embedding.defined() != (shape().imageWidth > 0))
        throw Error("The model and the batch disagree on the embeddings of reference pictures.");
    return group;
}

std::int64_t UnetModel::tokensPerClip(const ClipSize& size) const {
    const auto side = shape().model.patch_size;
    return size.frames * (size.height / side) * (size.width / side);
}

Flops UnetModel::flops(const ClipSize& size, std::int64_t) const {
    config::TrainConfig config;
    config.model = shape().model;
    if (shape().latentPixels > 1) {
        config.tokenizer.kind = "sd_vae";
        config.tokenizer.space_factor = shape().latentPixels;
    }
    const auto count =
        planner::unetCount(config, {.channels = shape().channels, .imageWidth = shape().imageWidth},
                           {size.frames, size.height, size.width, tokensPerClip(size)});
    Flops flops;
    flops.blocks = static_cast<std::int64_t>(count.layers);
    flops.attention = static_cast<std::int64_t>(count.attention);
    flops.rest = static_cast<std::int64_t>(count.ends);
    flops.atInputs = static_cast<std::int64_t>(count.atInputs);
    return flops;
}

at::Tensor UnetModelPass::embedded() const {
    return toPlaces(m_group.clips, m_model.shape().model.patch_size);
}

std::vector<at::Tensor> UnetModelPass::output(const at::Tensor& places) const {
    return {toClips(denoised(places), m_model.shape().model.patch_size)};
}

}  // namespace dailies::trainer::unet
