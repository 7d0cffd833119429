#pragma once

#include "trainer/data/judge.h"

namespace dailies::trainer {

/// Recognises colour, shape and direction in a clip of moving shapes. It sees pixels only:
/// - foreground: pixels whose brightest channel stands out; a clip whose foreground is not about as large as
/// a shape in every
///   frame has nothing right, so noise and smears score 0;
/// - colour: nearest of the four to the foreground's mean;
/// - shape: of the three outlines of the foreground's area, placed at its centroid, the one with the best
/// overlap;
/// - direction: of the centroid's path, which must be long enough and mostly along one axis.
class ShapesJudge : public Judge {
public:
    std::optional<std::map<std::string, bool>> judge(const RgbClip& clip,
                                                     const std::string& caption) const override;
};

}  // namespace dailies::trainer
