#pragma once

#include "core/sweep/sampling_file.h"
#include "core/sweep/sweep.h"
#include "core/tracking/store.h"
#include "remote/cluster/cluster.h"
#include "remote/job_script/script_edit.h"
#include "remote/launch/launch.h"
#include "remote/launch/launch_check.h"
#include "remote/launch/relaunch.h"
#include "remote/launch/sampling_launch.h"
#include "remote/service/submitted.h"

#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace dailies::remote {

/// A sweep to train, as a person asked for it.
struct LaunchRequest {
    sweep::Sweep sweep;
    bool skipRepeats = false;             ///< leave out runs that repeat one another, or one that ran before
    std::optional<ScriptEdit> edit = {};  ///< sent in the place of the generated script
    std::optional<sweep::SamplingFile> thenSample = {};  ///< of each run, once it is trained
};

/// What was sent.
struct Launched {
    LaunchPlan plan;
    std::string job;
    std::optional<Submitted<SamplingPlan>> sampling = {};  ///< that waits for the training
    std::vector<ClusterFinding> warnings = {};             ///< of the last check, none of them Bad
    std::vector<std::string> notes = {};                   ///< sentences: what to know of it from now on
};

/// The requests that train the stages of its sweep, in order: itself, where it has none. What is sampled is
/// of the last. Throws `InputError` for stages that cannot follow one another, and for an edited script,
/// which cannot be that of several.
std::vector<LaunchRequest> stageRequests(const LaunchRequest& request);

/// Makes each request but the first wait for the one before it.
void chainRequests(std::vector<LaunchRequest>& requests);

/// Refuses what can be known to fail before anything is built or sent: resources, memory, a broken edit of
/// the script, what cannot be sampled, a predecessor that can never end well, runs of a chain that do not go
/// together. `facts`: null while not connected, when resources and
/// memory are left for later. `store`: null where there is none yet. Throws `InputError`.
void validateLaunch(std::span<const LaunchRequest> chain, const ClusterProfile& profile,
                    const slurm::ClusterFacts* facts, const tracking::Store* store);

/// The plan as it is known before there is a trainer. Sends nothing. `store` as for `validateLaunch`.
LaunchPlan previewLaunch(const LaunchRequest& request, const ClusterProfile& profile,
                         const std::string& workspace, const tracking::Store* store);

/// Asks the cluster all that a launch would, of each stage, and sends nothing. `store` as for
/// `validateLaunch`.
LaunchCheck checkLaunch(Cluster& cluster, const LaunchRequest& request, const tracking::Store* store,
                        std::stop_token stop = {});

/// Launches sweeps: validate, make sure of the trainer, plan, check, record, submit. One operation for the
/// window and the command line. Every call blocks, on the thread of the cluster's session; throws
/// `InputError` for what the cluster cannot take, `Error` for what went wrong, `Cancelled` when stopped.
class LaunchService {
public:
    /// `progress`: a line for a person at each stage, warnings of the last check among them.
    LaunchService(Cluster& cluster, tracking::Store& store, Progress progress = {});

    /// Each once the one before it is submitted; `launched` is told of each. Validates all of them first.
    void launchChain(std::vector<LaunchRequest> requests, const std::function<void(Launched)>& launched,
                     std::stop_token stop = {});

    /// Repeats an earlier launch exactly; what could not be kept is in `notes`.
    Launched relaunch(const RelaunchTarget& target, std::stop_token stop = {});

    /// The plan of that, for who only looks: a trainer that is missing is named and not built.
    Relaunch previewRelaunch(const RelaunchTarget& target, std::stop_token stop = {});

private:
    Launched send(const LaunchRequest& request, std::stop_token stop);  ///< one that is validated
    void lastCheck(Launched& launched, std::stop_token stop);

    Cluster& m_cluster;
    tracking::Store& m_store;
    const Progress m_progress;
};

}  // namespace dailies::remote
