#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dailies::sources {

/// What the path of a video tells of how it was made.
struct ClipName {
    std::int64_t step = 0;  ///< 0: it names none
    std::int64_t seed = 0;  ///< or the video's number among those of the step
    std::string prompt;     ///< never empty: what is left of the name, or "sample 2"
};

/// Reads the names that trainers give their samples, of which the step may stand in a folder's name:
/// musubi-tuner's "sample/NAME_000100_02_20260102030405_7.mp4", FastVideo's
/// "validation_step_200_inference_steps_50_video_1.mp4", diffusers' "checkpoint-500/…", and words such as
/// step, iter, epoch, seed, prompt, sample or video with a number behind them.
ClipName clipNameOf(std::string_view path);

}  // namespace dailies::sources
