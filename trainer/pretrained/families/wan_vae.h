#pragma once

#include "trainer/data/value_scale.h"
#include "trainer/pretrained/families/family.h"

namespace dailies::trainer::pretrained {

/// What fixes names and shapes of Wan's video autoencoders.
struct WanVaeSizes {
    bool residual = false;    ///< that of 2.2, whose levels have shortcuts; else that of 2.1
    std::int64_t pixels = 3;  ///< channels: colours, of 2.2 folded 2×2
    std::int64_t latents = 16;
    Extents encoder = {96, 192, 384, 384};  ///< channels of each level, from fine to coarse
    Extents decoder = {384, 384, 192, 96};  ///< and back
};

/// What all of them have in common.
struct WanVaeLayout {
    static constexpr std::size_t kLevels = 4;
    static constexpr std::size_t kEncoderBlocks = 2, kDecoderBlocks = 3;  ///< residual blocks of a level
    /// Whether the step behind a level, which changes the sides, changes the number of frames, too.
    static constexpr bool kHalvesFrames[kLevels - 1] = {false, true, true};
    static constexpr bool kDoublesFrames[kLevels - 1] = {true, true, false};

    /// Names in diffusers, of blocks and of the step behind a level.
    static std::string encoderBlock(bool residual, std::size_t level, std::size_t block);
    static std::string encoderStep(bool residual, std::size_t level);
    static std::string decoderBlock(std::size_t level, std::size_t block);
    static std::string decoderStep(bool residual, std::size_t level);
};

/// Its tensors by diffusers' names.
NamedShapes wanVaeTensors(const WanVaeSizes& sizes);

/// The name in diffusers of a tensor of the original checkpoints; other names as they are.
std::string wanVaeDiffusersName(const std::string& original);

/// Mean and deviation of each channel of the latents that published models learned: z = (latent - mean) /
/// deviation (Wan-Video, wan/modules/vae.py and vae2_2.py; `latents_mean` and `latents_std` of diffusers'
/// AutoencoderKLWan). Of 16 channels (2.1) and 48 (2.2), nothing for others.
std::optional<ValueScale> wanVaeLatentScale(std::int64_t channels);

/// What `Family::sizes` of such a model says.
WanVaeSizes wanVaeSizes(const Json& sizes);

/// `tensors`: by diffusers' names.
std::optional<Family> recogniseWanVae(const TensorTable& tensors, const Hints& hints);

}  // namespace dailies::trainer::pretrained
