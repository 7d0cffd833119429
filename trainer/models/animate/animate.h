#pragma once

#include "trainer/models/unet/pose_guider.h"
#include "trainer/models/unet/unet.h"
#include "trainer/models/unet/unet_model.h"

namespace dailies::trainer {

/// Of the U-Nets of such a model (`model.family` animate).
unet::UnetSizes denoiserSizes(const ModelShape& shape);
unet::UnetSizes referenceNetSizes(const ModelShape& shape);
/// The first part of the names of its weights, and of its file's, that reads drawings of one of
/// `model.guidance_types`.
std::string guidanceEncoderName(const std::string& type);

/// Animate Anyone (Hu et al. 2024): the U-Net of Stable Diffusion 1 denoises each frame; its self-attention
/// reads the tokens that a ReferenceNet, the same U-Net with weights of its own, was given of the reference
/// picture at no noise; a guider makes what is added behind its first convolution of drawn poses; motion
/// modules attend over time (`model.motion`). Clips without a reference attend to themselves alone, which
/// classifier-free guidance compares with. Both nets read what an encoder of pictures sees in the reference
/// (`imageWidth`), or have no cross-attention. It reads no captions.
///
/// With `model.guidance_types` it is Champ (Zhu et al. 2024): drawings of several kinds have a guider with
/// attention each, and what they make is added up.
///
/// Weights are named as diffusers names them, behind "denoiser.", "reference." and "guider.", or those of
/// Champ's guiders as its files are, "guidance_encoder_depth." and so on.
class Animate : public unet::UnetModel {
public:
    /// Throws `InputError` for widths that the heads do not divide.
    Animate(const ModelShape& shape, at::Device device);

    std::unique_ptr<ModelPass> begin(const Params& weights, const ModelInput& input) const override;
    Character prepared(const Params& weights, const Character& character) const override;
    void declareWeights(WeightInitializer& make) const override;

private:
    class Pass;

    unet::ReferenceBank bankOf(const Params& weights, const Character& character) const;
    /// [n, channels, frames, rows, columns], which the denoiser adds.
    at::Tensor guided(const Params& weights, const Character& character) const;

    unet::Unet m_denoiser, m_reference;
    std::vector<unet::PoseGuider> m_guiders;  ///< of each kind of drawing
};

}  // namespace dailies::trainer
