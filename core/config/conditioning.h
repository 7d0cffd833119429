#pragma once

#include "core/config/family_traits.h"
#include "core/config/train_config.h"

namespace dailies::config {

/// Of the mask of an image that a clip begins with, one for each of the frames that a frame of latents holds
/// (Wan-Video/Wan2.1, wan/image2video.py).
inline constexpr std::int64_t kImageMaskChannels = 4;

/// What the published models read of an image: tokens of CLIP's ViT-H/14.
inline constexpr std::int64_t kImageTokens = 257;

/// Of all images of a clip.
inline std::int64_t imageTokens(const TrainConfig::Model& model) {
    return readsLastImages(model.conditioning) ? 2 * kImageTokens : kImageTokens;
}

/// Channels that a model reads beside the `channels` of a pixel or latent: mask and values of what it is
/// given (`model.conditioning`); in place there are none.
inline std::int64_t conditioningChannels(const TrainConfig::Model& model, std::int64_t channels) {
    if (model.conditioning == "frames") return 1 + channels;
    if (isVideoUnet(model)) return channels;  // the same image behind each frame
    return readsImages(model.conditioning) ? kImageMaskChannels + channels : 0;
}

}  // namespace dailies::config
