#pragma once

#include "trainer/data/data_source.h"

#include <array>

namespace dailies::trainer {

/// The 18 points of a body as OpenPose and DWPose number them: nose, neck, right shoulder, elbow and wrist,
/// left ones, right hip, knee and ankle, left ones, eyes and ears (right before left).
inline constexpr std::size_t kBodyPoints = 18;
enum BodyPointNumber : std::size_t {
    kNose,
    kNeck,
    kRightShoulder,
    kRightElbow,
    kRightWrist,
    kLeftShoulder,
    kLeftElbow,
    kLeftWrist,
    kRightHip,
    kRightKnee,
    kRightAnkle,
    kLeftHip,
    kLeftKnee,
    kLeftAnkle,
};

struct BodyPoint {
    double x = 0, y = 0;  ///< 0 … 1 of the picture's sides, from the left and from above
    bool seen = false;
};
using Body = std::array<BodyPoint, kBodyPoints>;

/// Draws a body into a frame as DWPose does: a limb as an ellipse in its colour, darkened to 0.6, a point as
/// a disc, in sizes for a frame of 512 pixels, though never thinner than two pixels. Antialiased, which
/// DWPose is not: small frames would lose limbs. Points that are not seen are left out, with their limbs.
void drawBody(RgbClip& clip, int frame, const Body& body);

}  // namespace dailies::trainer
