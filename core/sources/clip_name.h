#pragma once

#include "core/rules/clip_pattern.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dailies::sources {

/// What the path of a video tells of how it was made.
struct ClipName {
    std::int64_t step = 0;  ///< 0: it names none
    std::int64_t seed = 0;  ///< or the video's number among those of the step
    std::string prompt;     ///< never empty: what is left of the name, or "sample 2"
};

/// Reads the names that trainers give their samples, of which the step may stand in a folder's name:
/// musubi-tuner's "sample/NAME_000100_02_20260102030405_7.mp4", FastVideo's
/// "validation_step_200_inference_steps_50_video_1.mp4", diffusers' "checkpoint-500/…", ComfyUI's
/// "ComfyUI_00012_.mp4", and words such as step, iter, epoch, seed, prompt, sample or video with a number
/// behind them.
ClipName clipNameOf(std::string_view path);

/// By the first of the user's patterns that the path fits, else as above. What the pattern does not name is
/// left out.
ClipName clipNameOf(std::string_view path, const std::vector<rules::ClipPattern>& patterns);

}  // namespace dailies::sources
