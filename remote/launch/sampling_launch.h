#pragma once

#include "core/config/sampling_job.h"
#include "core/sweep/sweep.h"
#include "core/tracking/store.h"
#include "remote/cluster/cluster.h"
#include "remote/job_script/job_script.h"
#include "remote/launch/conditioning_files.h"
#include "remote/launch/submission.h"
#include "remote/trainer_install/trainer_install.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dailies::remote {

/// Which checkpoints of a run are sampled.
struct CheckpointChoice {
    enum class Kind { Last, Best, All, Steps };
    Kind kind = Kind::Last;
    std::vector<std::int64_t> steps = {};  ///< of Kind::Steps
};

/// "last", "best", "all" or steps as "1000,2000". Throws `InputError`.
CheckpointChoice parseCheckpointChoice(const std::string& text);

/// What a person asks for: clips of these runs' checkpoints.
struct SamplingRequest {
    std::vector<std::string> runIds;
    CheckpointChoice checkpoints;
    config::SamplingJob job;     ///< its own `checkpoints` are ignored; its `given_files` lie on this machine
    sweep::Resources resources;  ///< of one checkpoint's job
    std::string name = {};       ///< empty: "samples of lr=0.01"
    Dependency after = {};       ///< jobs that it waits for
};

/// A checkpoint that shall be sampled.
struct CheckpointRef {
    std::string runId;
    std::int64_t step = 0;
    std::string folder;  ///< on the cluster
};

/// The checkpoints that the request means, as the store knows them. "best" is by the metric that the run
/// keeps its best checkpoint by, else by its sweep's. Throws `InputError` naming a run that has none, or runs
/// of several clusters.
std::vector<CheckpointRef> chooseCheckpoints(const tracking::Store& store, const SamplingRequest& request);

/// Those that are still on the cluster: a run removes old ones as it goes on. Throws `InputError` when none
/// is.
std::vector<CheckpointRef> existingCheckpoints(Cluster& cluster,
                                               const std::vector<CheckpointRef>& checkpoints,
                                               std::stop_token stop = {});

/// A sampling job ready to be sent: one run, and one array task, for each checkpoint, guidance and step
/// count.
struct SamplingPlan {
    std::string id;  ///< of the sweep that the runs are recorded as
    std::string name;
    std::vector<tracking::Run> runs;
    std::int64_t clips = 0;  ///< of all of them
    std::string script;      ///< the exact sbatch script; may be edited before it is sent
    Json document;           ///< sweep.json, and what the submission is made from again after a crash
    std::vector<ConditioningFile> conditioningFiles = {};
};

/// Throws `InputError` for a job that makes no sense, for a given file that is not there, and for one where a
/// run did not learn to go on from given frames. `workspace` and `trainer` as for `planLaunch`.
SamplingPlan planSampling(const tracking::Store& store, const SamplingRequest& request,
                          const std::vector<CheckpointRef>& checkpoints, const ClusterProfile& profile,
                          const std::string& workspace, const InstalledTrainer& trainer);

/// Sends the given files, and then the plan exactly once, as `launch` does; returns the job's id.
std::string launchSampling(Cluster& cluster, const SamplingPlan& plan, tracking::Store& store,
                           const Progress& progress = {}, std::stop_token stop = {});

/// The parts of `launchSampling`, in their order, for who does something else between them.
void uploadConditioningFiles(Cluster& cluster, const SamplingPlan& plan, const Progress& progress = {},
                             std::stop_token stop = {});
void recordSampling(const Cluster& cluster, const SamplingPlan& plan, tracking::Store& store);

/// The submission of a recorded sampling job; nullopt for a sweep that trains.
std::optional<Submission> samplingSubmission(const tracking::SweepRecord& record);

/// What a sampling job would cost, by those that ran before.
struct SamplingEstimate {
    bool known = false;
    double seconds = 0;   ///< from the first start to the last end, without queueing
    double gpuHours = 0;  ///< 0 without GPUs
    std::string basis;    ///< a sentence
};
SamplingEstimate estimateSampling(const tracking::Store& store, const SamplingPlan& plan,
                                  const sweep::Resources& resources);

}  // namespace dailies::remote
