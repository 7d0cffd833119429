#pragma once

#include "core/sweep/sweep.h"
#include "core/tracking/store.h"
#include "remote/cluster/cluster.h"
#include "remote/launch/submission.h"
#include "remote/trainer_install/trainer_install.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dailies::remote {

/// What a person asks for: the clips of these runs, given to a scorer.
struct ScoringRequest {
    std::vector<std::string> runIds;
    std::filesystem::path scorer;          ///< on this machine: a module that torch.jit.save wrote
    std::string name = {};                 ///< its metrics are score/<name>…; empty: as the file
    std::vector<std::int64_t> steps = {};  ///< only clips of these; none: of all
    std::string reference = {};            ///< folder of videos on the cluster; empty: none
    sweep::Resources resources = {};       ///< of one run's job
};

/// A scoring job ready to be sent: one run, and one array task, for each run whose clips are scored.
struct ScoringPlan {
    std::string id;  ///< of the sweep that the runs are recorded as
    std::string name;
    std::vector<tracking::Run> runs;
    std::int64_t clips = 0;  ///< that these runs have, as far as it is known here
    std::string script;      ///< the exact sbatch script
    Json document;           ///< sweep.json, and what the submission is made from again after a crash
};

/// Throws `InputError` where the file is none that torch.jit.save can have written. What the module must have
/// is checked on the cluster, where there is a LibTorch.
void requireTorchScript(const std::filesystem::path& file);

/// Puts the module into the cluster's workspace under its hash, unless it is there; returns its path.
std::string uploadScorer(Cluster& cluster, const std::filesystem::path& file, const Progress& progress = {},
                         std::stop_token stop = {});

/// How many clips the request means, where every one of them has its numbers by this very module (and
/// reference) already, as far as it is known here: there is nothing to do. nullopt otherwise.
std::optional<std::int64_t> alreadyScoredClips(const tracking::Store& store, const ScoringRequest& request,
                                               std::stop_token stop = {});

/// `scorerOnCluster`: what `uploadScorer` returned. Throws `InputError` for runs that have no clip or are on
/// several clusters, and for a name that no metric can have. `workspace` and `trainer` as for `planLaunch`.
ScoringPlan planScoring(const tracking::Store& store, const ScoringRequest& request,
                        const std::string& scorerOnCluster, const ClusterProfile& profile,
                        const std::string& workspace, const InstalledTrainer& trainer);

/// Sends the plan exactly once, as `launch` does; returns the job's id.
std::string launchScoring(Cluster& cluster, const ScoringPlan& plan, tracking::Store& store,
                          const Progress& progress = {}, std::stop_token stop = {});

/// The submission of a recorded scoring job; nullopt for a sweep that does something else.
std::optional<Submission> scoringSubmission(const tracking::SweepRecord& record);

}  // namespace dailies::remote
