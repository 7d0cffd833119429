#pragma once

#include "trainer/models/clip/clip_sizes.h"
#include "trainer/tensors/params.h"

namespace dailies::trainer::clip {

/// A tower that fits a test.
TowerSizes tinyTower();
VisionSizes tinyVision();  ///< of 3 × 3 patches of 4 pixels
TextSizes tinyText();      ///< of 9 places and 20 words

/// Random weights of which none is zero or one, so that every part takes part: float64.
Params livelyWeights(const NamedShapes& tensors);

}  // namespace dailies::trainer::clip
