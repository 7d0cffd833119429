#pragma once

#include "remote/cluster/profile.h"
#include "remote/ssh/session.h"

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace dailies::remote {

enum class Verdict { Good, Warn, Bad };

/// One line of a cluster's test, for a person.
struct ClusterFinding {
    std::string what;  ///< "Workspace"
    Verdict verdict = Verdict::Good;
    std::string found;   ///< "/home/ada/dailies can be written, 120 GB free"
    std::string remedy;  ///< what to do; empty when good
};
/// "Memory: it needs 70 GB of 80 GB. Ask for more." for a line of progress.
std::string describe(const ClusterFinding& finding);
using FindingCallback = std::function<void(const ClusterFinding&)>;

/// Looks at all that Dailies needs of a cluster, and at what it would trip over later: login, shell, Slurm,
/// partition, account, GPUs, workspace, clocks, and on a compute node, by a job of seconds, the shared
/// folder, compilers, PyTorch and FFmpeg. Reports each finding as it is made, on this thread, and goes on
/// after a bad one with what can still be looked at. What gives no answer within `responseTimeout` (commands
/// that hang in a home folder whose file server is sick, say) is a finding, so the test ends. Nothing is left
/// on the cluster. `queueTimeout`: how long the job may be queued. Throws `Cancelled` alone.
std::vector<ClusterFinding> checkCluster(const ClusterProfile& profile, ssh::Prompter& prompter,
                                         const FindingCallback& report, const std::stop_token& stop = {},
                                         std::chrono::seconds queueTimeout = std::chrono::seconds(60),
                                         std::chrono::seconds responseTimeout = std::chrono::seconds(30));

/// The worst of these.
Verdict worstVerdict(const std::vector<ClusterFinding>& findings);

}  // namespace dailies::remote
