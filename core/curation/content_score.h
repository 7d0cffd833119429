#pragma once

#include "core/curation/picture.h"

#include <cstdint>
#include <vector>

namespace dailies::curation {

/// Hue (0–179), saturation and value (0–255) of each pixel, by the integer arithmetic of OpenCV's
/// COLOR_RGB2HSV for 8 bits. Three planes, one behind the other.
struct HsvPlanes {
    std::vector<std::uint8_t> values;

    void assign(const Picture& picture);
};

/// PySceneDetect's ContentDetector score with its default weights (1, 1, 1, 0): mean absolute differences of
/// hue, saturation and value, averaged. Hue is not taken as a circle there, so it is not here. Pictures of
/// one size.
double contentScore(const HsvPlanes& before, const HsvPlanes& now);

}  // namespace dailies::curation
