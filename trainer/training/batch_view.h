#pragma once

#include "core/config/batch_job.h"
#include "core/config/train_config.h"
#include "trainer/denoising/batch_loader.h"
#include "trainer/runtime/run_log.h"

#include <filesystem>
#include <optional>

namespace dailies::trainer {

/// Shows the clips of steps of a run as a rank's model sees them, whether it trained them already, does so
/// now or never will: the same clips, drawn captions and noise, by the run's configuration, its data and the
/// position of its newest checkpoint. Each clip is written as one of a run in the job's own folder: decoded
/// back from what the model learns, with the same at its level of noise and what else the model is told
/// beside it, and a message that says where it stands in the data, its noise and its caption.
class BatchView {
public:
    /// `runFolder`: of the job. Throws `InputError` where the run's own folder has no configuration.
    BatchView(const config::BatchJob& job, const std::filesystem::path& runFolder, RunLog& log);

    /// Returns the event to close the log with. Throws `InputError` for steps that the run does not have and
    /// what a run throws for its data.
    events::End run();

    std::int64_t step() const { return m_step; }

private:
    class Loaded;
    /// A clip of a batch, as the model is given it.
    struct SeenClip {
        std::int64_t step = 0;
        BatchLoader::TakenClip taken;
        double fps = 0;
        at::Tensor clip, noised;  ///< [frames, height, width, channels], on the model's scale
        double noise = 0;         ///< share of it, 0 … 1
        std::optional<std::int64_t> tokens, framesGiven;
    };
    void show(Loaded& loaded, std::int64_t step);
    void show(Loaded& loaded, const Example& example, const SeenClip& seen);

    config::BatchJob m_job;
    std::filesystem::path m_runFolder;
    RunLog& m_log;
    config::TrainConfig m_config;
    std::int64_t m_step = 0;
};

}  // namespace dailies::trainer
