#pragma once

#include "trainer/models/svd/svd.h"
#include "trainer/models/unet/pose_net.h"

namespace dailies::trainer {

/// MimicMotion (Zhang et al. 2024): the U-Net of Stable Video Diffusion reads the reference picture behind
/// the noisy frames, the same in each, and what an encoder of pictures sees in it (`imageWidth`, or has no
/// cross-attention); PoseNet makes what is added behind its first convolution of drawn poses. Clips without a
/// reference have no poses either: with them classifier-free guidance compares. It reads no captions.
///
/// Weights are named as MimicMotion names them: "unet.", behind which stand diffusers' names, and
/// "pose_net.".
class MimicMotion : public unet::UnetModel {
public:
    /// Throws `InputError` for widths that the heads do not divide.
    MimicMotion(const ModelShape& shape, at::Device device);

    std::unique_ptr<ModelPass> begin(const Params& weights, const ModelInput& input) const override;
    Character prepared(const Params& weights, const Character& character) const override;
    void declareWeights(WeightInitializer& make) const override;
    std::vector<std::string> addedParts() const override { return {m_poseNet.prefix}; }

private:
    class Pass;

    /// [n, channels, frames, rows, columns], which the U-Net adds.
    at::Tensor posed(const Params& weights, const Character& character) const;

    unet::SpatioTemporalUnet m_unet;
    unet::PoseNet m_poseNet;
};

}  // namespace dailies::trainer
