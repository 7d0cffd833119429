#pragma once

#include "core/base/error.h"
#include "core/sweep/sweep.h"
#include "core/tracking/store.h"
#include "remote/cluster/cluster.h"
#include "remote/launch/predecessor.h"
#include "remote/program/program.h"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace dailies::remote {

/// A sweep ready to be sent: nothing of it has touched the cluster or the store yet.
struct LaunchPlan {
    std::string sweepId;
    sweep::Sweep sweep;
    std::vector<sweep::PlannedRun> runs;
    std::vector<std::string> runIds;      ///< parallel to `runs`
    std::vector<std::string> beginsFrom;  ///< parallel, or empty: the run whose checkpoint each begins with
    std::optional<InitFrom> init = {};    ///< of whose best run the weights are that all begin with
    std::vector<std::vector<std::string>>
        commands;        ///< parallel: the words of its first process, to be shown
    std::string script;  ///< the exact sbatch script; may be edited before launch()
};

/// Expands the sweep and writes the script as one job array. Program and `workspace` are shown as
/// placeholders when the cluster is not known yet (dry run): pass an empty ReadyProgram and the profile's
/// workspace. `skipped`: indices of expanded runs that are left out, because they repeat others. `before`:
/// what the sweep waits for (`predecessorOf`).
LaunchPlan planLaunch(const sweep::Sweep& sweep, const ClusterProfile& profile, const std::string& workspace,
                      const ReadyProgram& ready, const std::set<std::size_t>& skipped = {},
                      const Predecessor& before = {});

/// Sends the plan exactly once: records sweep and runs in the store, writes sweep.json, array.tsv, job.sbatch
/// and every run's config.json on the cluster, submits, records the job id. After a broken connection call
/// `resumeLaunch` with a new Cluster: it asks Slurm first whether the array was submitted. When sbatch
/// refuses, the runs are marked FAILED with its message, and the `Error` is thrown on.
std::string launch(Cluster& cluster, const LaunchPlan& plan, tracking::Store& store,
                   const Progress& progress = {}, std::stop_token stop = {});

/// The two halves of `launch`, for who records something else before the first of it is sent.
void recordLaunch(const Cluster& cluster, const LaunchPlan& plan, tracking::Store& store);
std::string submitLaunch(Cluster& cluster, const LaunchPlan& plan, tracking::Store& store,
                         const Progress& progress = {}, std::stop_token stop = {});

/// Whether `resumeLaunches` has something to do. Reads the store alone.
bool hasLaunchesToResume(const tracking::Store& store, const std::string& cluster);

/// For sweeps of this cluster whose submission is not known to have happened (a crash or a lost connection
/// between record and sbatch): finds the job, or submits now. Returns the sweep ids that were settled. What
/// the cluster refuses is told to `failed` and keeps no other from being settled; a lost connection and a
/// silent slurmctld are thrown.
std::vector<std::string> resumeLaunches(Cluster& cluster, tracking::Store& store,
                                        const Progress& progress = {},
                                        const std::function<void(const Error&)>& failed = {},
                                        std::stop_token stop = {});

/// Cancels the jobs of these runs, with one call of Slurm's, and the samplings that wait for them; also a job
/// that a run which has ended left behind. `endSweeps`: a sweep all of whose active runs are among them is
/// cancelled as a whole; otherwise an adaptive one goes on and proposes others in their place. Throws `Error`
/// for a run that has not been submitted yet, `InputError` for one of another cluster; nothing is cancelled
/// then.
void cancelRuns(Cluster& cluster, tracking::Store& store, const std::vector<std::string>& runIds,
                bool endSweeps, std::stop_token stop = {});

/// Cancels all unfinished runs of a sweep; an adaptive one proposes no more.
void cancelSweep(Cluster& cluster, tracking::Store& store, const std::string& sweepId,
                 std::stop_token stop = {});

}  // namespace dailies::remote
