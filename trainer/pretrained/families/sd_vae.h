#pragma once

#include "trainer/pretrained/families/family.h"

namespace dailies::trainer::pretrained {

/// What fixes names and shapes of the autoencoders of Stable Diffusion: AutoencoderKL of diffusers.
struct SdVaeSizes {
    std::int64_t pixels = 3;
    std::int64_t latents = 4;
    Extents channels = {128, 256, 512, 512};  ///< of each level, from fine to coarse
    std::int64_t blocks = 2;        ///< residual blocks of an encoder's level; a decoder's has one more
    std::int64_t groups = 32;       ///< of a norm; names and shapes do not tell it
    bool quantConvolutions = true;  ///< around the latents; those of SD 3 and Flux have none
    /// The decoder sees neighbouring frames, as that of Stable Video Diffusion
    /// (AutoencoderKLTemporalDecoder), which has no convolution before it.
    bool decodesOverTime = false;

    /// Pixels of a latent's side.
    std::int64_t spaceFactor() const { return std::int64_t{1} << (channels.size() - 1); }
};

/// Its tensors by diffusers' names. `asConvolutions`: the matrices of attention have two more axes, as in the
/// original checkpoints.
NamedShapes sdVaeTensors(const SdVaeSizes& sizes, bool asConvolutions = false);

/// The name in diffusers of today of one that it had until 0.16 (attention's `query`, `proj_attn`, …); others
/// as they are.
std::string sdVaeRecentName(const std::string& name);
/// And of one of the original checkpoints (ldm/modules/diffusionmodules/model.py), of four levels.
std::string sdVaeDiffusersName(const std::string& original);

/// What `Family::sizes` of such a model says.
SdVaeSizes sdVaeSizes(const Json& sizes);

/// `tensors`: by diffusers' names.
std::optional<Family> recogniseSdVae(const TensorTable& tensors, const Hints& hints);

}  // namespace dailies::trainer::pretrained
