#pragma once

#include "core/sweep/sweep.h"
#include "core/tracking/store.h"
#include "remote/cluster/cluster.h"
#include "remote/launch/submission.h"
#include "remote/trainer_install/trainer_install.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dailies::remote {

/// What a person asks for: the clips of these steps of a run, as one of its ranks sees them.
struct BatchRequest {
    std::string runId;
    std::vector<std::int64_t> steps;
    std::int64_t rank = 0;
    std::int64_t clips = 16;          ///< of each step at most
    sweep::Resources resources = {};  ///< of the job
};

/// A job that shows batches, ready to be sent: one run, whose clips they are.
struct BatchPlan {
    std::string id;  ///< of the sweep that the run is recorded as
    std::string name;
    tracking::Run run;
    std::string script;  ///< the exact sbatch script
    Json document;       ///< sweep.json, and what the submission is made from again after a crash
};

/// Throws `InputError` for a run that does not train, or not by dailies-train, and for steps and ranks that
/// it does not have. `workspace` and `trainer` as for `planLaunch`.
BatchPlan planBatch(const tracking::Store& store, const BatchRequest& request, const ClusterProfile& profile,
                    const std::string& workspace, const InstalledTrainer& trainer);

/// Sends the plan exactly once, as `launch` does; returns the job's id.
std::string launchBatch(Cluster& cluster, const BatchPlan& plan, tracking::Store& store,
                        const Progress& progress = {}, std::stop_token stop = {});

/// The submission of a recorded job that shows batches; nullopt for a sweep that does something else.
std::optional<Submission> batchSubmission(const tracking::SweepRecord& record);

}  // namespace dailies::remote
