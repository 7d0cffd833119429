#pragma once

#include "core/config/train_config.h"
#include "trainer/denoising/batch.h"
#include "trainer/optim/optimizer.h"
#include "trainer/parallel/mesh.h"
#include "trainer/parallel/process_group.h"
#include "trainer/training/train_engine.h"

#include <optional>

namespace dailies::trainer {

// What ranks do together at the end of a step, once `TrainEngine::forwardBackward` has made its gradients:
// the same code when a run trains and when its layout is rehearsed (trainer/rehearsal).

/// What one rank tells the others of a step.
struct LocalStepStats {
    at::Tensor losses;       ///< of its clips
    bool stop = false;       ///< it was asked to stop
    double busySeconds = 0;  ///< in the step before
};

/// What all ranks know of a step then.
struct GlobalStepStats {
    /// The global batch's loss, how many ranks were asked to stop, `NoiseDeciles::ofClips`, the share of
    /// clips whose pair the model orders as people did (0 without pairs) and each rank's busy seconds, one
    /// behind the other: read at once, for a GPU is waited for.
    at::Tensor numbers;
    at::Tensor gradNorm;  ///< 0-dim, before clipping
};

/// Completes the gradients' sums. Every rank must ask.
GlobalStepStats reduceStepStats(const Batch& batch, const LocalStepStats& local, const Mesh& mesh,
                                const DistEnv& ranks, TrainEngine& engine, ProcessGroup& world);

/// What moves when a step updates the weights.
struct UpdateTargets {
    TrainEngine& engine;
    Optimizer& optimizer;
    const Params& average;  ///< of this rank's own; empty: none
};

/// Moves them, by gradients times `gradScale` where it is given. `step` counts from 1. Every rank must ask.
void optimizerStep(const config::TrainConfig& config, std::int64_t step,
                   const std::optional<at::Tensor>& gradScale, const UpdateTargets& updated);

/// With which `optimizerStep` makes gradients of this norm as long as `optimizer.grad_clip` allows.
at::Tensor clipCoefficient(const config::TrainConfig& config, const at::Tensor& gradNorm);

}  // namespace dailies::trainer
