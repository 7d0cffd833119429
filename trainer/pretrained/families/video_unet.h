#pragma once

#include "trainer/models/unet/spatio_temporal_sizes.h"
#include "trainer/pretrained/families/family.h"

namespace dailies::trainer::pretrained {

/// The name in MimicMotion's file of a tensor of the U-Net that diffusers publishes of Stable Video
/// Diffusion; its own as they are.
std::string videoUnetName(const std::string& name);

/// And of one of Stability's own checkpoints (sgm/modules/diffusionmodules/video_model.py).
std::string videoUnetOriginalName(const std::string& original);

/// `tensors`: by the names of MimicMotion's file. The U-Net of Stable Video Diffusion, with PoseNet or
/// without: `model.family` mimic-motion.
std::optional<Family> recogniseVideoUnet(const TensorTable& tensors, const Hints& hints);

}  // namespace dailies::trainer::pretrained
