#pragma once

#include "trainer/pretrained/families/family.h"

namespace dailies::trainer::pretrained {

/// A name as it is published.
inline std::string poseGuiderName(const std::string& name) {
    return name;
}

/// Before the names of the one that a ControlNet has.
constexpr const char* kControlNetGuider = "controlnet_cond_embedding.";

/// A pose guider of Animate Anyone: ControlNetConditioningEmbedding of diffusers. Family "pose_guider".
std::optional<Family> recognisePoseGuider(const TensorTable& tensors, const Hints& hints);

}  // namespace dailies::trainer::pretrained
