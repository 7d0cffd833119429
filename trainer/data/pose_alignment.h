#pragma once

#include "core/config/train_config.h"
#include "trainer/data/keypoints.h"

namespace dailies::trainer {

/// How poses get the build and the place of another person: whoever moves is seldom as tall as the character
/// that is to move.
enum class PoseFit {
    bones,  ///< bone by bone
    line,   ///< the whole picture by one line for each axis
};

/// As the publisher of the family's models does it.
inline PoseFit poseFitOf(const config::TrainConfig::Model& model) {
    return model.family == "mimic-motion" ? PoseFit::line : PoseFit::bones;
}

/// The people of `moving` with the build and the place of the person in `reference`, in a picture of the
/// reference's sides.
///
/// By bones: bones keep their directions and get lengths: those of the first frame that shows them times a
/// factor, so that a limb that turns to the camera still shortens. The factors are the reference's lengths by
/// those of the first frame; left and right, and all bones of a kind (upper arms, shins, …), have one. A bone
/// that either lacks has the factor of the whole body. The neck walks the same way as before, as many times
/// as far as the body is larger. Hands and faces are scaled about the wrist and the nose. The rule is
/// UniAnimate's run_align_pose.py, but for the neck's way, which it leaves as long as it was.
///
/// By a line: y becomes a·y + b by least squares over what all frames and the reference show of head, trunk
/// and legs, x becomes a·x + c in the same unit with equal means: MimicMotion's rule (its get_video_pose),
/// but for points that either lacks, which it takes for places.
///
/// `aspect`: width by height of the pictures where a file does not say. Throws `Error` where the two show too
/// little in common: no neck or no bone, or no two heights.
Keypoints aligned(const Keypoints& moving, const Keypoints& reference, double aspect,
                  PoseFit fit = PoseFit::bones);

}  // namespace dailies::trainer
