#pragma once

#include "core/config/train_config.h"
#include "trainer/batch.h"
#include "trainer/learner.h"
#include "trainer/optim/optimizer.h"
#include "trainer/parallel/communicator.h"
#include "trainer/parallel/mesh.h"

#include <optional>

namespace dailies::trainer {

// What ranks do together at the end of a step, once `Learner::learn` has made its gradients: the same code
// when a run trains and when its layout is rehearsed (trainer/rehearsal).

/// What one rank tells the others of a step.
struct ToldOfStep {
    at::Tensor losses;       ///< of its clips
    bool stop = false;       ///< it was asked to stop
    double busySeconds = 0;  ///< in the step before
};

/// What all ranks know of a step then.
struct StepSums {
    /// The global batch's loss, how many ranks were asked to stop, `NoiseDeciles::ofClips` and each rank's
    /// busy seconds, one behind the other: read at once, for a GPU is waited for.
    at::Tensor numbers;
    at::Tensor gradNorm;  ///< 0-dim, before clipping
};

/// Completes the gradients' sums. Every rank must ask.
StepSums sumsOfStep(const Batch& batch, const ToldOfStep& told, const Mesh& mesh, const Ranks& ranks,
                    Learner& learner, Communicator& world);

/// What moves when a step updates the weights.
struct Updated {
    Learner& learner;
    Optimizer& optimizer;
    const Params& average;  ///< of this rank's own; empty: none
};

/// Moves them, by gradients times `shrink` where it is given. `step` counts from 1. Every rank must ask.
void updateWeights(const config::TrainConfig& config, std::int64_t step,
                   const std::optional<at::Tensor>& shrink, const Updated& updated);

/// With which `updateWeights` makes gradients of this norm as long as `optimizer.grad_clip` allows.
at::Tensor clippingOf(const config::TrainConfig& config, const at::Tensor& gradNorm);

}  // namespace dailies::trainer
