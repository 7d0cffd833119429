#include "trainer/step.h"

#include "trainer/diffusion/noise_deciles.h"
#include "trainer/optim/average.h"
#include "trainer/optim/schedule.h"

#include <torch/types.h>

namespace dailies::trainer {

StepSums sumsOfStep(const Batch& batch, const ToldOfStep& told, const Mesh& mesh, const Ranks& ranks,
                    Learner& learner, Communicator& world) {
    const at::NoGradGuard noGradients;
    learner.gradients().finish();
    const auto loss = told.losses.sum() / static_cast<double>(batch.globalClips);
    const auto stop = at::full({1}, told.stop ? 1.0 : 0.0, loss.options());
    auto deciles = NoiseDeciles::ofClips(told.losses, batch.quantiles);
    if (!mesh.knowsLosses()) deciles = at::zeros_like(deciles);  // its counts of clips, too
    auto busy = at::zeros({ranks.size}, loss.options());
    busy[ranks.rank].fill_(told.busySeconds);
    // ranks that share the tokens of their clips all know their losses
    const auto knownTo = static_cast<double>(mesh.sizes().ranksOfClip());
    auto shared = at::cat({at::cat({loss.view({1}), stop, deciles}) / knownTo, busy});
    world.sum(shared);
    return {shared, learner.gradients().norm()};
}

void updateWeights(const config::TrainConfig& config, std::int64_t step,
                   const std::optional<at::Tensor>& shrink, const Updated& updated) {
    const at::NoGradGuard noGradients;
    auto& [learner, optimizer, average] = updated;
    if (shrink) learner.gradients().scale(*shrink);
    optimizer.step(learner.gradients().own(), learningRate(config, step));
    learner.spreadWeights();
    if (!average.names().empty())
        updateAverage(average, learner.weights().own(), averageDecay(config.optimizer, step));
}

at::Tensor clippingOf(const config::TrainConfig& config, const at::Tensor& gradNorm) {
    return config.optimizer.grad_clip / (gradNorm + 1e-6);
}

}  // namespace dailies::trainer
