#pragma once

#include "trainer/data/judge.h"

namespace dailies::trainer {

/// Reads clips of figures back (figures.h). It sees pixels only, and knows what the prompt and seed asked
/// for:
/// - "shirt", "trousers": whether the garments have the reference's colours, by the colour that most pixels
///   are nearest to;
/// - pose_error: how far head, hands and feet are from where the pose has them, in shares of the shorter
///   side, by the middle of the pixels of each one's colour; at most `kFarthest`, which is also that of a
///   part that is not there;
/// - background_error: mean difference of the pixels that the figure never covers from the background, 0 … 1;
/// - flicker: mean change of these pixels from the frame before, 0 … 1. The true clip has none.
class FiguresJudge : public Judge {
public:
    static constexpr double kFarthest = 0.25;

    std::optional<std::map<std::string, bool>> judge(const RgbClip& clip,
                                                     const std::string& caption) const override;
    std::map<std::string, std::vector<double>> errors(const RgbClip& clip, const std::string& prompt,
                                                      std::int64_t seed) const override;
};

}  // namespace dailies::trainer
