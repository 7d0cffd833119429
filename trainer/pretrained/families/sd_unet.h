#pragma once

#include "trainer/models/unet/unet_sizes.h"
#include "trainer/pretrained/families/family.h"

namespace dailies::trainer::pretrained {

using unet::UnetSizes;

/// The name in diffusers of a tensor of the original checkpoints (CompVis' latent-diffusion), of two blocks a
/// level; others as they are.
std::string unetDiffusersName(const std::string& original);
/// The same of what stands behind a residual block's name ("in_layers.0.weight").
std::string residualDiffusersName(const std::string& original);
/// And of one of motion modules as AnimateDiff and Animate Anyone have them, but for their positions, of
/// which they keep one a layer.
std::string motionDiffusersName(const std::string& original);

/// What `Family::sizes` of such a model says.
UnetSizes unetSizes(const Json& sizes);
/// And of motion modules alone: those of a U-Net of these sizes.
UnetSizes motionSizes(const Json& sizes);

/// `tensors`: by diffusers' names. A U-Net with or without motion modules; motion modules without a U-Net.
std::optional<Family> recogniseUnet(const TensorTable& tensors, const Hints& hints);
std::optional<Family> recogniseMotion(const TensorTable& tensors, const Hints& hints);

}  // namespace dailies::trainer::pretrained
