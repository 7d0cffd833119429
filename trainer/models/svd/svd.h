#pragma once

#include "trainer/models/unet/spatio_temporal_unet.h"
#include "trainer/models/unet/unet_model.h"

namespace dailies::trainer {

/// Of the U-Net of such a model (`model.family` svd, mimic-motion).
unet::SpatioTemporalSizes videoUnetSizes(const ModelShape& shape);

/// What such a U-Net makes of clips out of an image of each.
struct VideoUnetInput {
    at::Tensor places;  ///< noisy, [n, channels, frames, rows, columns]
    at::Tensor times;   ///< [n], as `ModelInput::times`
    /// [n, 1, height, width, channels] of the image, on the model's scale; 0 for clips without one.
    at::Tensor image;
    at::Tensor seen = {};   ///< [n, tokens, imageWidth]: what an encoder of pictures sees in it
    at::Tensor added = {};  ///< SpatioTemporalInput::added
    double fps = 0;         ///< that it is told
};

/// Like `places`: F of EDM, which is its v with the other sign.
at::Tensor throughVideoUnet(const unet::SpatioTemporalUnet& net, const ModelShape& shape,
                            const Params& weights, const VideoUnetInput& input);

/// Stable Video Diffusion (Blattmann et al. 2023): clips begin with an image, whose latents stand behind
/// those of each noisy frame, and of which the model reads what an encoder of pictures sees in it
/// (`imageWidth`, or has no cross-attention). Both are 0 where a clip has none, with which classifier-free
/// guidance compares. It reads no captions. Weights have diffusers' names behind "unet.", as MimicMotion has
/// them.
class Svd : public unet::UnetModel {
public:
    /// Throws `InputError` for widths that the heads do not divide.
    Svd(const ModelShape& shape, at::Device device);

    std::unique_ptr<ModelPass> begin(const Params& weights, const ModelInput& input) const override;
    void declareWeights(WeightInitializer& make) const override { m_unet.declareWeights(make); }

private:
    class Pass;

    unet::SpatioTemporalUnet m_unet;
};

}  // namespace dailies::trainer
