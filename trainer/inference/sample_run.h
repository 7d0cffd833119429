#pragma once

#include "core/config/sampling_job.h"
#include "trainer/inference/inference_model.h"
#include "trainer/inference/parallel_sampling.h"
#include "trainer/inference/sampling.h"
#include "trainer/runtime/run_log.h"

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace dailies::trainer {

/// Samples checkpoints again: writes the clips of a job into a run directory as training writes its own, with
/// an event each, and skips those that an earlier attempt made. Several ranks share each clip
/// (clip_sharing.h); the first of them writes.
class SampleRun {
public:
    /// `earlier`: the events of the run's earlier attempts.
    SampleRun(config::SamplingJob job, std::filesystem::path runFolder,
              const std::vector<events::Event>& earlier, const DistEnv& ranks, RunLog& log);

    /// Until every clip is made, or a stop signal; returns the event to close the log with. Throws
    /// `InputError` for a checkpoint that cannot be sampled or a job that does not fit it.
    events::End run();

    std::int64_t step() const { return m_step; }  ///< of the checkpoint in hand

private:
    struct Clip {
        SampleRequest request;
        std::string file;  ///< in the step's folder, without ending
    };

    /// One of those that the job asks for of each checkpoint.
    struct Settings {
        config::TrainConfig config;
        Params weights;
        Json note;           ///< beside the clips, what the configuration does not tell
        std::string ending;  ///< of the clips' names
    };

    void share(const InferenceModel& model);
    void requireUseOfJob(const config::TrainConfig& config, const std::string& checkpoint) const;
    Settings settingsOf(const InferenceModel& model, const std::string& checkpoint, double guidance,
                        std::int64_t steps, double strength) const;
    ClipSampler samplerOf(const InferenceModel& model, const config::TrainConfig& config,
                          std::int64_t clipsAtOnce) const;
    /// The same on all ranks: which would wait for each other if one stopped alone.
    bool mayStop() const;
    void logStart(const InferenceModel& model);
    void sample(const InferenceModel& model, const std::string& checkpoint);
    /// Of the job's prompts, where the model reads embeddings: from the job's files, or from those that the
    /// run itself sampled the same prompts with.
    std::vector<std::optional<Array>> embeddingsFor(const InferenceModel& model,
                                                    const std::string& checkpoint) const;
    std::vector<Clip> clipsToMake(std::int64_t step, const std::string& ending,
                                  const std::vector<std::optional<Array>>& embeddings);
    void makeTogether(const InferenceModel& model, const Settings& settings, const std::vector<Clip>& clips);
    void makeLong(const InferenceModel& model, const Settings& settings, const Clip& clip);
    void count(bool written, std::int64_t clips);
    void logSummary(const InferenceModel& model);

    config::SamplingJob m_job;
    std::filesystem::path m_runFolder;
    DistEnv m_ranks;
    RunLog& m_log;
    std::unique_ptr<ParallelSampling> m_parallelSampling;  ///< null where one rank samples alone
    std::optional<ParallelSampling::Speed> m_speed;
    std::map<std::string, events::Clip> m_made;  ///< by path without ending
    std::set<std::string> m_taken;               ///< names of the job's files
    std::optional<std::int64_t> m_resumedFrom;   ///< the largest step of an earlier attempt
    bool m_started = false;
    std::int64_t m_step = 0;
    std::int64_t m_done = 0, m_failed = 0;
    std::chrono::duration<double> m_spent{};
    std::int64_t m_timed = 0;  ///< clips that were made in that time
};

}  // namespace dailies::trainer
