#pragma once

#include "core/config/train_config.h"
#include "trainer/checkpoint/checkpoint_saver.h"
#include "trainer/data/data_position.h"
#include "trainer/data/data_source.h"
#include "trainer/denoising/batch_loader.h"
#include "trainer/optim/optimizer.h"
#include "trainer/parallel/gradients.h"
#include "trainer/parallel/lost_rank.h"
#include "trainer/parallel/process_group.h"
#include "trainer/runtime/run_log.h"
#include "trainer/tokenizers/causal_vae/causal_vae.h"
#include "trainer/tokenizers/causal_vae/vae_loss.h"
#include "trainer/watchdog/watchdog.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <span>

namespace dailies::trainer {

/// Trains the causal VAE of the configuration's tokenizer group on the clips of its data group, from the
/// newest checkpoint or from the start: batches, ranks, optimizer, schedule, average and checkpoints are
/// those of any run.
class VaeTrainer {
public:
    /// Throws `InputError` for a config that makes no VAE or that the checkpoint contradicts.
    VaeTrainer(const config::TrainConfig& config, const std::filesystem::path& runFolder,
               const DistEnv& ranks, RunLog& log);

    events::End train();
    std::int64_t step() const { return m_step; }

private:
    /// Sums over clips, in the order of kLossNames.
    struct Window {
        std::vector<double> sums;
        double clips = 0, seconds = 0;
    };

    bool due(std::int64_t every) const {
        return every > 0 && (m_step % every == 0 || m_step == m_config.steps);
    }
    events::End runSteps();
    /// Sums of the losses over this rank's clips; adds the gradients.
    at::Tensor forwardBackward(const Batch& batch);
    bool trainStep();  ///< whether some rank was asked to stop
    at::Tensor picturesOrClips(const at::Tensor& clips) const;
    at::Tensor noiseOf(const at::Tensor& like, std::span<const std::int64_t> places) const;
    void logMetrics(double learningRate, double gradNorm);
    void sample();
    void save();
    void reportSaves();
    void resume();
    const Params& sampledWeights() const { return m_ema.names().empty() ? m_weights : m_ema; }

    config::TrainConfig m_config;
    std::filesystem::path m_runFolder;
    DistEnv m_ranks;
    RunLog& m_log;
    Watchdog m_watchdog;
    LostRankTerminateHandler m_lostRankHandler;
    at::Device m_device;
    std::unique_ptr<ProcessGroup> m_processGroup;
    Checkpoints m_checkpoints;
    CheckpointSaver m_saver{m_checkpoints};
    std::unique_ptr<DataSource> m_source;
    Vocabulary m_vocabulary;
    std::unique_ptr<TextEncoder> m_text;
    std::optional<std::int64_t> m_resumeStep;
    ResumedData m_data;
    BatchLoader m_batches;
    vae::CausalVae m_vae;
    Params m_weights, m_ema;
    std::unique_ptr<Gradients> m_gradients;
    std::unique_ptr<Optimizer> m_optimizer;
    Window m_window;
    std::int64_t m_step = 0, m_savedStep = 0;
};

}  // namespace dailies::trainer
