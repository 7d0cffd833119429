#pragma once

#include "core/base/json.h"
#include "tests/trainer/runs/training_run.h"

#include <filesystem>

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

inline std::filesystem::path lastCheckpoint(const TrainingRun& run) {
    return run.path() / "checkpoints/step-000000012";
}

}  // namespace dailies::trainer
