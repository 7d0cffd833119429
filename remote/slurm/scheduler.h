#pragma once

#include "remote/slurm/job.h"
#include "remote/slurm/partition.h"
#include "remote/slurm/queue.h"
#include "remote/slurm/snapshot.h"
#include "remote/slurm/usage.h"
#include "remote/ssh/session.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace dailies::remote::slurm {

/// What the user may ask for, by Slurm's accounting.
struct Association {
    std::string account = {};
    std::string partition = {};  ///< where it holds; empty: everywhere
    std::vector<std::string> qos = {};
};

/// What was learned of a cluster at connection.
struct ClusterFacts {
    std::string version;  ///< "22.05.8"
    std::string clusterName;
    bool accounting = false;     ///< sacct answers
    bool memoryCounted = false;  ///< jobs are given memory as they are given CPUs; else they share the node's
    std::vector<Partition> partitions;
    std::vector<Association> associations;         ///< none: not known, or not asked for
    std::map<std::string, std::string> qosLimits;  ///< time limits by QOS, where one has one
    std::size_t maxArraySize = 0;                  ///< of job arrays; 0: not known
};

/// What Slurm foresees for a job that is not submitted.
struct StartEstimate {
    std::int64_t startTime = 0;  ///< unix seconds; 0: Slurm does not say
    std::string nodes;
    std::string partition;
};

/// Slurm through its own commands over one SSH session; one remote call for each method. Throws `Error` with
/// Slurm's own message and a remedy: no sbatch on the host, slurmctld down, bad partition, ….
class Scheduler {
public:
    /// The session must outlive this; same thread. `setup`: the profile's shell lines, run by a login bash
    /// when the host does not find sbatch without them.
    explicit Scheduler(ssh::Session& session, std::vector<std::string> setup = {});

    /// Called at each question to Slurm from now on.
    void onCall(std::function<void()> told) { m_onCall = std::move(told); }

    ClusterFacts facts(std::stop_token stop = {});

    /// The accounts that the user may charge, for clusters with accounting; else none.
    std::vector<std::string> accounts(std::stop_token stop = {});

    /// Submits a script (standard input of sbatch) and returns the job id. `comment` (a sweep or run id)
    /// overrides that of the script; when Slurm knows a job of ours with this comment already, nothing is
    /// submitted and that job's id is returned.
    std::string submit(const std::string& script, const std::string& comment, std::stop_token stop = {});

    /// Whether Slurm would take the script, and when it would start by the limits of the jobs before it.
    /// Nothing is submitted. Throws `Error` as `submit` does. It does not notice a time limit above the
    /// partition's, nor an output folder that cannot be written.
    StartEstimate testOnly(const std::string& script, std::stop_token stop = {});

    /// The job already submitted under this comment, if Slurm still knows one: asked after a connection broke
    /// in `submit`.
    std::optional<std::string> findSubmission(const std::string& comment, std::stop_token stop = {});

    /// All of these jobs (array ids give every task) in one call: squeue in all states, then sacct (where
    /// there is accounting) for those that slurmctld has forgotten. Jobs that nothing knows any more are
    /// absent from the result.
    std::vector<JobStatus> poll(const std::vector<std::string>& jobIds, std::stop_token stop = {});

    /// Everybody's jobs, the nodes and the partitions, and how full the file system of `folder` is. The
    /// answer is returned as it came, for `parseSnapshot`, so that it can also be kept.
    std::string snapshot(const std::string& folder, bool withNodes, std::stop_token stop = {});

    /// The user's jobs that ended in the last so many days, newest first. Empty without accounting.
    std::vector<QueuedJob> history(int days, std::stop_token stop = {});

    /// What a running job of the user's uses now, node by node: measured for about a second by a step of its
    /// own inside of the job. Throws `Error` when the job does not run any more.
    std::vector<NodeUsage> usage(const std::string& job, std::stop_token stop = {});

    /// Keeps waiting jobs from starting, until they are released. Those that have begun are no error.
    void hold(const std::vector<std::string>& jobs, std::stop_token stop = {});
    void release(const std::vector<std::string>& jobs, std::stop_token stop = {});

    /// Cancels jobs or single tasks ("12", "12_3"). Those that have ended already are no error.
    void cancel(const std::vector<std::string>& jobs, std::stop_token stop = {});

    /// Asks running jobs to end by themselves: TERM to their batch scripts alone, which then let the trainer
    /// write a checkpoint. Those that have ended, or have not begun, are no error.
    void requestStop(const std::vector<std::string>& jobs, std::stop_token stop = {});

private:
    /// Runs `words` on jobs; what Slurm says of those that are past it already is no error.
    void change(const std::string& words, const std::vector<std::string>& jobs, std::stop_token stop);
    ssh::ExecResult call(const std::string& script, std::stop_token stop);
    std::string locate(std::stop_token stop);

    ssh::Session& m_session;
    std::vector<std::string> m_setup;
    std::function<void()> m_onCall;
    std::string m_environment;  ///< shell lines that make Slurm's commands found, learned by the first call
                                ///< that needs them
};

}  // namespace dailies::remote::slurm
