#pragma once

#include "core/base/json.h"
#include "core/video/clip_file.h"
#include "tests/trainer/runs/training_run.h"
#include "trainer/data/example.h"

#include <filesystem>
#include <vector>

namespace dailies::trainer {

/// The tiny run of a model of characters.
inline Json animatedFigures() {
    return {{"model.family", "animate"},
            {"model.width", 16},
            {"model.heads", 2},
            {"model.depth", 1},
            {"model.patch_frames", 1},
            {"model.patch_size", 4},
            {"model.motion", "v1"},
            {"data.source", "figures"},
            {"data.frames", 4},
            {"data.height", 32},
            {"data.width", 32},
            {"data.batch_size", 2},
            {"diffusion.objective", "v_prediction"},
            {"diffusion.min_snr_gamma", 5},
            {"diffusion.snr_plus_one", true},
            {"diffusion.noise_offset", 0.05},
            {"sampling.steps", 2},
            {"sampling.adherence_clips", 2}};
}

/// The frames as files and readers of videos have them.
inline std::vector<video::Frame> videoFrames(const RgbClip& clip) {
    std::vector<video::Frame> frames;
    for (int t = 0; t < clip.frames; ++t)
        frames.push_back({clip.width, clip.height, {clip.frame(t), clip.frame(t) + clip.frameBytes()}});
    return frames;
}

/// Writes it as a video, in folders that need not be there.
inline void writeVideo(const std::filesystem::path& file, const RgbClip& clip) {
    std::filesystem::create_directories(file.parent_path());
    video::writeClip(file, videoFrames(clip), {.fps = 8});
}

inline std::filesystem::path lastCheckpoint(const TrainingRun& run) {
    return run.path() / "checkpoints/step-000000012";
}

}  // namespace dailies::trainer
