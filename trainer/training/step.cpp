#include "trainer/training/step.h"

#include "trainer/diffusion/noise_deciles.h"
#include "trainer/diffusion/preference_loss.h"
#include "trainer/optim/ema.h"
#include "trainer/optim/schedule.h"

#include <torch/types.h>

namespace dailies::trainer {

GlobalStepStats reduceStepStats(const Batch& batch, const LocalStepStats& local, const Mesh& mesh,
                                const DistEnv& ranks, TrainEngine& engine, ProcessGroup& world) {
    const at::NoGradGuard noGradients;
    engine.gradients().finish();
    const auto loss = local.losses.sum() / static_cast<double>(batch.globalClips);
    const auto stop = at::full({1}, local.stop ? 1.0 : 0.0, loss.options());
    auto deciles = NoiseDeciles::ofClips(local.losses, batch.quantiles);
    if (!mesh.isLastStage()) deciles = at::zeros_like(deciles);  // its counts of clips, too
    const auto likePeople = engine.learnsPreferences()
                                ? clipsOrderedAsPreferred(local.losses).to(loss.options()) /
                                      static_cast<double>(batch.globalClips)
                                : at::zeros({}, loss.options());
    auto busy = at::zeros({ranks.size}, loss.options());
    busy[ranks.rank].fill_(local.busySeconds);
    // ranks that share the tokens of their clips all know their losses
    const auto knownTo = static_cast<double>(mesh.sizes().ranksPerClip());
    auto shared = at::cat({at::cat({loss.view({1}), stop, deciles, likePeople.view({1})}) / knownTo, busy});
    world.allReduce(shared);
    return {shared, engine.gradients().norm()};
}

void optimizerStep(const config::TrainConfig& config, std::int64_t step,
                   const std::optional<at::Tensor>& gradScale, const UpdateTargets& updated) {
    const at::NoGradGuard noGradients;
    auto& [engine, optimizer, average] = updated;
    if (gradScale) engine.gradients().scale(*gradScale);
    optimizer.step(engine.gradients().own(), learningRate(config, step));
    engine.syncWeights();
    if (!average.names().empty())
        updateEma(average, engine.weights().own(), emaDecay(config.optimizer, step));
}

at::Tensor clipCoefficient(const config::TrainConfig& config, const at::Tensor& gradNorm) {
    return config.optimizer.grad_clip / (gradNorm + 1e-6);
}

}  // namespace dailies::trainer
