#pragma once

#include "core/quality/luma.h"
#include "core/quality/picture_view.h"

namespace dailies::quality {

/// What the checks want to know of one frame by itself. Shares are of its pixels, 0 to 1.
struct FrameStats {
    double dark = 0;       ///< luma at most a tenth, as FFmpeg's `blackdetect` has it
    double white = 0;      ///< all channels at their upper end
    double vivid = 0;      ///< one channel at its upper end and another at its lower
    double deviation = 0;  ///< standard deviation of luma, levels
    bool noise = false;    ///< see `looksLikeNoise`
};

FrameStats frameStats(const PictureView& picture, const Luma& luma);

/// Whether there is a grain, of 1 to 16 pixels (models are enlarged, latents decoded to blocks), at which the
/// picture varies much and the correlation of neighbours is below a quarter, as independent numbers have it
/// and pictures of anything do not.
bool looksLikeNoise(const Luma& luma);

}  // namespace dailies::quality
