#pragma once

#include "core/config/family_traits.h"
#include "trainer/data/example.h"

#include <array>
#include <vector>

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
    kRightEye,
    kLeftEye,
    kRightEar,
    kLeftEar,
};

struct BodyPoint {
    double x = 0, y = 0;  ///< 0 … 1 of the picture's sides, from the left and from above
    bool seen = false;
    double confidence = 1;  ///< 0 … 1: how sure its finder is of it
};
using Body = std::array<BodyPoint, kBodyPoints>;

/// Of a hand: the wrist, then four points of each finger from the thumb on.
inline constexpr std::size_t kHandPoints = 21;
using Hand = std::array<BodyPoint, kHandPoints>;

/// All that DWPose finds of somebody.
struct Person {
    Body body;
    std::array<Hand, 2> hands;
    std::vector<BodyPoint> face = {};
};

/// What is drawn of a clip's poses, and how.
struct PoseStyle {
    /// Colours are as strong as their points are sure, those of lines as both of their ends together, as
    /// MimicMotion draws them; else all are whole.
    bool fades = false;
    bool ofReference = false;  ///< the reference picture's pose is drawn, too
};

/// As the publisher of the family's models draws them.
inline PoseStyle poseStyleOf(const config::TrainConfig::Model& model) {
    return {.fades = model.family == "mimic-motion", .ofReference = config::readsReferencePose(model.family)};
}

/// Where a picture's sides lie in a frame that shows a part of it, in pixels.
struct PicturePlace {
    double left = 0, top = 0, width = 0, height = 0;
};

/// Draws a person as DWPose does: the body as `drawBody`, hands as lines in the hues of their bones under
/// blue discs, the face as white discs. Points that are not seen are left out, with what ends there.
void drawPerson(RgbClip& clip, int frame, const Person& person, const PicturePlace& place,
                const PoseStyle& style);

/// Fills white the box around each hand of whose every point its finder is sure, with a margin: where
/// MimicMotion has errors count more. The paper does not say from how much on: half.
void fillSureHands(RgbClip& clip, int frame, const Person& person, const PicturePlace& place);

/// Draws a body into a frame as DWPose does: a limb as an ellipse in its colour, darkened to 0.6, a point as
/// a disc, in sizes for a frame of 512 pixels, though never thinner than two pixels. Antialiased, which
/// DWPose is not: small frames would lose limbs. Points that are not seen are left out, with their limbs.
void drawBody(RgbClip& clip, int frame, const Body& body);

}  // namespace dailies::trainer
