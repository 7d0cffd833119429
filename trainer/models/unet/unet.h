#pragma once

#include "trainer/models/unet/motion_module.h"
#include "trainer/models/unet/picture_transformer.h"
#include "trainer/models/unet/unet_sizes.h"
#include "trainer/models/weight_initializer.h"

#include <map>
#include <string>

namespace dailies::trainer::unet {

/// Tokens of reference pictures, [clips, places, channels], by the transformer that was given them
/// ("down_blocks.0.attentions.0"): what a denoiser reads of a ReferenceNet. Gradients pass.
using ReferenceBank = std::map<std::string, at::Tensor>;

struct UnetInput {
    at::Tensor latents;       ///< [clips, channels, frames, rows, columns]
    at::Tensor times;         ///< [clips]: noise levels of 0 … 1000, one for all frames of a clip
    at::Tensor context = {};  ///< [clips, tokens, width]: of a caption or a picture
    /// [clips, channels of the first level, frames, rows, columns], added behind the first convolution: the
    /// pose (pose_guider.h); undefined: nothing.
    at::Tensor added = {};
    ReferenceBank references = {};  ///< of as many clips; empty: frames attend to themselves alone
    at::Tensor referenced =
        {};  ///< [clips], bool: false for clips without a reference; undefined: all have one
    /// Keep of each block its inputs only, and compute it again in the backward pass, until which weights and
    /// U-Net must live.
    bool recompute = false;
};

/// The U-Net of Stable Diffusion 1 (Rombach et al. 2022; UNet2DConditionModel of diffusers) over each frame
/// of a clip, with motion modules between (AnimateDiff; UNetMotionModel) where its sizes have them. A
/// function of its weights, by diffusers' names. With a bank of references it is the denoiser of Animate
/// Anyone, and one that makes the bank its ReferenceNet.
class Unet {
public:
    /// `normsAcrossFrames`: see `MotionModule`. `prefix`: stands before the names of its weights. Throws
    /// `InputError` where heads or groups do not divide the channels.
    explicit Unet(const UnetSizes& sizes, bool normsAcrossFrames = false, std::string prefix = "");

    const UnetSizes& sizes() const { return m_sizes; }

    /// Weights to begin with: motion modules begin by adding nothing.
    void declareWeights(WeightInitializer& make) const;

    /// What the network puts out for each frame, like `latents`. Throws `InputError` for a bank that lacks a
    /// transformer, and where the U-Net is a ReferenceNet without outputs.
    at::Tensor operator()(const Params& weights, const UnetInput& input) const;

    /// What each transformer was given on the way. Frames of a clip stand one behind the other, so that
    /// several pictures are references of one clip. Ends with the last transformer.
    ReferenceBank referencesOf(const Params& weights, const UnetInput& input) const;

private:
    class Pass;
    struct Block;

    std::string lastTransformer() const;

    UnetSizes m_sizes;
    std::string m_prefix;
    layers::GroupNorm m_norm;
    PictureTransformer m_transformer;
    MotionModule m_motion;
};

}  // namespace dailies::trainer::unet
