#pragma once

#include "core/tracking/store.h"
#include "remote/cluster/cluster.h"
#include "remote/launch/caption_file.h"
#include "remote/launch/clip_scoring_file.h"
#include "remote/launch/curation_file.h"
#include "remote/launch/shard_file.h"
#include "remote/launch/submission.h"
#include "remote/trainer_install/trainer_install.h"

#include <optional>
#include <string>
#include <vector>

namespace dailies::remote {

/// A job array that makes a dataset, ready to be sent: a run for each of its tasks, which share the work.
struct DatasetPlan {
    std::string id;  ///< of the sweep that the tasks are recorded as
    std::string name, experiment;
    std::vector<tracking::Run> runs;
    std::string script;  ///< the exact sbatch script
    Json document;       ///< sweep.json, and what the submission is made from again after a crash
};

/// Films to clips. `workspace` and `trainer` as for `planLaunch`. Throws `InputError` for a job that makes no
/// sense, and for resources that Slurm would not understand.
DatasetPlan planCuration(const CurationRequest& request, const ClusterProfile& profile,
                         const std::string& workspace, const InstalledTrainer& trainer);

/// Captions for the clips of a curated folder; likewise.
DatasetPlan planCaptions(const CaptionRequest& request, const ClusterProfile& profile,
                         const std::string& workspace, const InstalledTrainer& trainer);

/// Scores of those clips; likewise. `request.job.scorer`: on the cluster by now.
DatasetPlan planClipScores(const ClipScoringRequest& request, const ClusterProfile& profile,
                           const std::string& workspace, const InstalledTrainer& trainer);

/// Shards of those clips, by one task; likewise.
DatasetPlan planShards(const ShardRequest& request, const ClusterProfile& profile,
                       const std::string& workspace, const InstalledTrainer& trainer);

/// Sends the plan exactly once, as `launch` does; returns the job's id.
std::string launchDatasetJob(Cluster& cluster, DatasetPlan plan, tracking::Store& store,
                             const Progress& progress = {}, std::stop_token stop = {});

/// The submission of such a recorded job; nullopt for a sweep that does something else.
std::optional<Submission> datasetSubmission(const tracking::SweepRecord& record);

}  // namespace dailies::remote
