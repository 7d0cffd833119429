#pragma once

#include "core/config/train_config.h"
#include "trainer/denoising/batch.h"
#include "trainer/denoising/denoiser.h"
#include "trainer/diffusion/objective.h"
#include "trainer/meters/phase_clock.h"
#include "trainer/models/model_family.h"
#include "trainer/optim/step_guard.h"
#include "trainer/parallel/gradients.h"
#include "trainer/parallel/parallel_dims.h"
#include "trainer/parallel/sharded_params.h"
#include "trainer/training/cuda_graph_cache.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace dailies::trainer {

namespace lora {
class LoraModel;
}

/// A model's weights and gradients as a layout has one rank hold them, and the passes that fill the
/// gradients: all of a step but its batch and its update. What a run trains with, and what its layout is
/// proven with (parallel/certificate.h).
class TrainEngine {
public:
    /// Makes all weights, one after the other, and keeps of each what it is asked to.
    using InitialWeights = std::function<Params(const WeightInitializer::Keep& keep)>;

    /// As `layout.shard`, `optimizer.master_weights`, `runtime.precision` and `runtime.cuda_graphs` ask for.
    /// `initial` makes whole weights, of which a rank never has more than what it holds and one beside it;
    /// the rest must outlive it.
    TrainEngine(const config::TrainConfig& config, const Model& model, const Objective& objective,
                const ParallelDims& groups, at::Device device, const InitialWeights& initial);

    ShardedParams& weights() { return *m_weights; }
    const ShardedParams& weights() const { return *m_weights; }
    /// After the ranks' own weights have changed: to all that the model computes with.
    void syncWeights();

    /// Those that the model computes with: all weights, or bfloat16 copies of some.
    const Params& modelWeights() const { return m_modelWeights; }

    Gradients& gradients() { return *m_gradients; }
    /// Makes the gradients those of the batch, in so many passes over equally many clips each; the losses of
    /// its clips, zeros on stages that do not compute them. The sums over ranks that this begins are complete
    /// after `gradients().finish()`.
    at::Tensor forwardBackward(const Batch& batch, std::int64_t passes, PhaseClock& clock);

    /// Whether it learns from pairs of clips (preferenceLoss).
    bool learnsPreferences() const { return m_preferring != nullptr; }

    /// The part of the model that this rank has; null: all of it.
    const PipelineStage* stage() const { return m_stage.get(); }

    /// Of every weight of the model whether it and its gradient are finite. Every rank must ask.
    std::vector<WeightHealth> health();

    /// What people should know of the recorded passes since the last call.
    std::vector<std::string> takeNotes();

private:
    void makeWeights(const InitialWeights& initial);
    at::Tensor forwardBackwardPipelined(const Batch& batch, std::int64_t passes, PhaseClock& clock);
    MicroBatch makeMicroBatch(const Batch& batch) const;
    at::Tensor add(const Batch& batch, PhaseClock& clock);
    /// Forward and backward. `clock` is told where one ends and the other begins; null while it is recorded.
    at::Tensor pass(const MicroBatch& input, PhaseClock* clock) const;
    std::vector<NoisyClips> noisyClips(const MicroBatch& input) const;
    /// Of each clip.
    at::Tensor lossesOf(const MicroBatch& input, const std::vector<at::Tensor>& outputs) const;
    at::Tensor errorsOf(const MicroBatch& input, const std::vector<at::Tensor>& outputs) const;
    /// Those of the model that it began as.
    at::Tensor referenceErrors(const MicroBatch& input) const;

    const config::TrainConfig m_config;
    const Model& m_model;
    const Objective& m_objective;
    const ParallelDims& m_groups;
    at::Device m_device;
    const lora::LoraModel* m_preferring = nullptr;  ///< the model, where it learns from preferences
    std::unique_ptr<PipelineStage> m_stage;
    std::unique_ptr<TensorParallelShards> m_slices;  ///< null where this rank has all weights whole
    std::unique_ptr<ShardedParams> m_weights;
    Params m_modelWeights;  ///< what the model computes with: all weights, or bf16 copies
    std::unique_ptr<Gradients> m_gradients;
    std::unique_ptr<CudaGraphCache> m_graphCache;  ///< null where passes are not recorded
};

}  // namespace dailies::trainer
