#pragma once

#include "core/quality/luma.h"

namespace dailies::quality {

/// How much a clip changes from frame to frame, in levels of luma (0–255). Frames of one clip, hence of one
/// size. Any thread.

/// The mean absolute difference of luma between neighbouring frames: the MAFD of FFmpeg's `scdet` filter
/// (which gives it in percent of 255), and what VBench's "temporal flickering" (Huang et al. 2024) takes from
/// 255.
double motion(const Luma& before, const Luma& now);

/// How far the frame stands out of both its neighbours on the same side: of the mean of each 32 × 32 block
/// (grain averages out in it) the smaller of its differences from the frame before and the frame after, where
/// both are brighter or both are darker, else nothing; the mean over all blocks. Unlike the mean difference
/// of neighbours, which VBench uses on scenes that stand still, it stays near zero for steady motion, pans,
/// fades and cuts.
double flicker(const LumaBlocks& before, const LumaBlocks& now, const LumaBlocks& after);

}  // namespace dailies::quality
