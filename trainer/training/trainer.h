#pragma once

#include "core/config/train_config.h"
#include "trainer/checkpoint/checkpoint_saver.h"
#include "trainer/diffusion/noise_deciles.h"
#include "trainer/diffusion/objective.h"
#include "trainer/inference/sampling.h"
#include "trainer/lora/base_weights.h"
#include "trainer/meters/phase_clock.h"
#include "trainer/meters/step_meter.h"
#include "trainer/meters/step_trace.h"
#include "trainer/models/model_family.h"
#include "trainer/optim/loss_spikes.h"
#include "trainer/optim/optimizer.h"
#include "trainer/parallel/lost_rank.h"
#include "trainer/parallel/mesh.h"
#include "trainer/parallel/parallel_dims.h"
#include "trainer/parallel/process_group.h"
#include "trainer/pretrained/initial_weights.h"
#include "trainer/runtime/run_log.h"
#include "trainer/training/batch_prefetcher.h"
#include "trainer/training/train_engine.h"
#include "trainer/training/training_data.h"
#include "trainer/training/validation.h"
#include "trainer/watchdog/stragglers.h"
#include "trainer/watchdog/watchdog.h"

#include <filesystem>
#include <memory>
#include <optional>

namespace dailies::trainer {

/// Trains one run from its newest checkpoint, or from the start, to its last step.
class Trainer {
public:
    /// Meets the other ranks, opens the data, builds the model and loads the newest complete checkpoint.
    /// Throws `InputError` for a config that this machine or the checkpoint contradicts, `Error` when
    /// something fails.
    Trainer(const config::TrainConfig& config, const std::filesystem::path& runFolder, const DistEnv& ranks,
            RunLog& log);

    /// Runs until the last step or a stop signal; returns the event to close the log with. Throws `Error`
    /// when training diverges or a peer is lost.
    events::End train();

    std::int64_t step() const { return m_step; }

private:
    struct StepResult {
        double loss = 0;        ///< of the global batch
        double likePeople = 0;  ///< share of its clips whose pair the model prefers as people did
        at::Tensor deciles;     ///< of its clips: see NoiseDeciles
        double gradNorm = 0;    ///< before clipping
        double learningRate = 0;
        bool updated = true;  ///< false: loss or gradient was not finite and the weights stayed
        bool stop = false;    ///< some rank was asked to stop
    };

    /// Sums since the last metrics event. The loss is part of the checkpoint: a resumed run logs the same
    /// means.
    struct LossWindow {
        double sum = 0;
        std::int64_t count = 0;
        double likePeople = 0;
        NoiseDeciles deciles;
    };

    /// From the run's start to its first step. Throws `LayoutMismatchError` and, as steps do, `LostRank`.
    void prepare();
    void verifyLayout();
    /// Whole weights one by one: those of `model.init`, else drawn.
    Params firstWeights(const WeightInitializer::Keep& keep) const;
    /// The weights of model.init that stay as they are, checked: those that a checkpoint that is gone on with
    /// was trained on.
    lora::BaseWeights partBase(const Model& model) const;
    /// What a checkpoint's weights fit.
    Json savedShape() const;
    events::End runSteps();
    StepResult trainStep();
    /// The same, recorded where this is the step of `runtime.trace_step`.
    StepResult nextStep();
    void report(StepTrace& trace);
    void update(const StepResult& result, const at::Tensor& gradNorm);
    StepWork work(const Batch& batch) const;
    void guard(const StepResult& result);
    void logMetrics(const StepResult& result);
    void sample();
    void validate();
    void save();
    /// Before ranks save their shares: whether the leading one could make room for them.
    bool prepareShardedSave();
    void reportSaves();
    void finishSaves();
    void reportSpike(const StepResult& result);
    void reportDataProblems();
    void reportStragglers(const at::Tensor& busySeconds);

    bool due(std::int64_t every) const {
        return every > 0 && (m_step % every == 0 || m_step == m_config.steps);
    }
    void restore(std::int64_t step);
    void logStart();
    ShardedParams& weights() const { return m_engine->weights(); }
    /// Of this rank.
    std::int64_t clipsAtOnce() const;
    /// Of the memory that `peakMemory` measures, for the run's record.
    double plannedMemory() const;
    TrainingState state() const;
    /// Whether this rank writes a part of each checkpoint, or all of it.
    bool writes() const { return m_groups.checkpointWriterRank().has_value(); }
    /// Those to judge the run by, the average if there is one, as this rank computes with them: all must ask.
    Params evalWeights() const;
    /// Whether the model is one of a pair, each for a part of the noise.
    bool isExpert() const;

    config::TrainConfig m_config;
    std::filesystem::path m_runFolder;
    DistEnv m_ranks;
    RunLog& m_log;
    Watchdog m_watchdog;
    LostRankTerminateHandler m_lostRankHandler;
    at::Device m_device;
    Mesh m_mesh;
    std::unique_ptr<ProcessGroup> m_processGroup;
    ParallelDims m_groups;
    Checkpoints m_checkpoints;
    CheckpointSaver m_saver{m_checkpoints};
    std::optional<std::int64_t> m_resumeStep;
    std::unique_ptr<pretrained::InitialWeights> m_init;  ///< null where weights are drawn or resumed
    TrainingData m_data;
    ModelShape m_shape;
    std::unique_ptr<Model> m_model;
    bool m_isExpert = false;
    std::unique_ptr<Objective> m_objective;
    BatchLoader m_loader;
    BatchPrefetcher m_batches;
    std::unique_ptr<TrainEngine> m_engine;
    Params m_ema;  ///< of this rank's own; empty when ema_decay is 0
    std::unique_ptr<Optimizer> m_optimizer;
    std::unique_ptr<OtherExpert> m_otherExpert;  ///< null where samples need none
    std::unique_ptr<Sampling> m_sampling;        ///< on those that share the leading rank's clips
    std::unique_ptr<Validation> m_validation;    ///< null when validation.every is 0

    std::int64_t m_step = 0;
    std::int64_t m_savedStep = 0;
    std::int64_t m_nonFiniteInARow = 0;
    LossSpikes m_spikes;
    LossWindow m_window;
    std::unique_ptr<PhaseClock> m_clock;
    StepMeter m_meter;
    double m_busySeconds = 0;  ///< of this rank in the step before, without waiting for others
    Stragglers m_stragglers;
    double m_sentBytes = 0;  ///< by this rank, up to the last metrics event
    std::int64_t m_sentStep = 0;
};

}  // namespace dailies::trainer
