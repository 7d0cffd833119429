#pragma once

#include "trainer/data/keypoints.h"

namespace dailies::trainer {

/// The people of `moving` with the build and the place of the person in `reference`, in a picture of the
/// reference's sides: whoever moves is seldom as tall as the character that is to move.
///
/// Bones keep their directions and get lengths: those of the first frame that shows them times a factor, so
/// that a limb that turns to the camera still shortens. The factors are the reference's lengths by those of
/// the first frame; left and right, and all bones of a kind (upper arms, shins, …), have one. A bone that
/// either lacks has the factor of the whole body. The neck walks the same way as before, as many times as
/// far as the body is larger. Hands and faces are scaled about the wrist and the nose. The rule is
/// UniAnimate's run_align_pose.py, but for the neck's way, which it leaves as long as it was.
///
/// `aspect`: width by height of the pictures where a file does not say. Throws `Error` where the reference or
/// every frame lacks a neck, or no bone is seen in both.
Keypoints aligned(const Keypoints& moving, const Keypoints& reference, double aspect);

}  // namespace dailies::trainer
