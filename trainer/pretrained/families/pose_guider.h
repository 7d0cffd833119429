#pragma once

#include "trainer/models/unet/unet_sizes.h"
#include "trainer/pretrained/families/family.h"

namespace dailies::trainer::pretrained {

/// A published name as ours: the transformer that Champ's code uses is "attention.".
std::string poseGuiderName(const std::string& name);

/// Whether it is of the other transformers in Champ's files, by our names.
bool isUnusedByChamp(const std::string& name);

/// Before the names of the one that a ControlNet has.
constexpr const char* kControlNetGuider = "controlnet_cond_embedding.";

/// Of what `recognisePoseGuider` tells.
unet::GuiderSizes guiderSizes(const Json& sizes);

/// A pose guider of Animate Anyone (ControlNetConditioningEmbedding of diffusers), family "pose_guider", or
/// one of Champ's, family "guidance_encoder".
std::optional<Family> recognisePoseGuider(const TensorTable& tensors, const Hints& hints);

}  // namespace dailies::trainer::pretrained
