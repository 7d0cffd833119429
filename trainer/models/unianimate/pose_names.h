#pragma once

#include <string_view>

namespace dailies::trainer::unianimate {

/// What names of weights of UniAnimate-DiT's encoders of poses begin with, as in its published file.
inline constexpr const char* kMotion = "dwpose_embedding.";
inline constexpr const char* kReference = "randomref_embedding_pose.";

bool isOfPoseEncoders(std::string_view weight);

}  // namespace dailies::trainer::unianimate
