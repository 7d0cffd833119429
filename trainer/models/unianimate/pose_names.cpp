#include "trainer/models/unianimate/pose_names.h"

namespace dailies::trainer::unianimate {

bool isOfPoseEncoders(std::string_view weight) {
    return weight.starts_with(kMotion) || weight.starts_with(kReference);
}

}  // namespace dailies::trainer::unianimate
