#pragma once

#include "remote/cluster/poll_rate_limiter.h"
#include "remote/cluster/profile.h"
#include "remote/slurm/scheduler.h"
#include "remote/ssh/session.h"

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

namespace dailies::remote {

/// One line of progress for a person: "Uploading the trainer (412 kB)". Called on the working thread.
using Progress = std::function<void(const std::string& line)>;

ssh::Endpoint endpointOf(const ClusterProfile& profile);

/// The profile's workspace as an absolute path on the cluster, where it is made if it is absent, with "~",
/// $HOME and $USER expanded. Throws `Error` when it cannot be written.
std::string resolveWorkspace(ssh::Session& session, const ClusterProfile& profile,
                             const std::stop_token& stop = {});

/// A connected cluster. Belongs to one thread at a time; blocking.
class Cluster {
public:
    /// Connects, finds Slurm, resolves the workspace and proves that it can be written. Throws `Error` (or
    /// `SessionError`) that says which of these failed and what to do.
    Cluster(const ClusterProfile& profile, ssh::Prompter& prompter, const Progress& progress = {},
            std::stop_token stop = {});

    const ClusterProfile& profile() const { return m_profile; }
    const slurm::ClusterFacts& facts() const { return m_facts; }
    const std::string& workspace() const { return m_workspace; }  ///< absolute, expanded on the cluster
    ssh::Session& session() { return *m_session; }
    slurm::Scheduler& scheduler() { return *m_scheduler; }

    /// From now on each question to Slurm over this connection counts for a ceiling that other connections
    /// of the same user share; until then for one of its own.
    void shareCalls(std::shared_ptr<PollRateLimiter> calls);
    /// Between two questions about a job that somebody waits for: a second, or as long as the ceiling
    /// asks for. Throws `Cancelled`.
    void waitToAskAgain(const std::stop_token& stop) const;

    std::string runFolder(const std::string& runId) const { return m_workspace + "/runs/" + runId; }
    std::string sweepFolder(const std::string& sweepId) const { return m_workspace + "/sweeps/" + sweepId; }

private:
    ClusterProfile m_profile;
    std::unique_ptr<ssh::Session> m_session;
    std::unique_ptr<slurm::Scheduler> m_scheduler;
    std::shared_ptr<PollRateLimiter> m_calls;
    slurm::ClusterFacts m_facts;
    std::string m_workspace;
};

}  // namespace dailies::remote
