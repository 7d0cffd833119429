#pragma once

#include "core/alerts/rules.h"
#include "core/tracking/store.h"
#include "remote/cluster/cluster.h"

#include <set>
#include <stop_token>
#include <string>
#include <vector>

namespace dailies::remote {

/// Holds what still waits of a sweep whose first runs all failed at once in the same way, once a sweep: four
/// hundred runs of a program with a typo would end the same way. Whoever releases them has decided. Adaptive
/// sweeps stop proposing by themselves (SweepController).
class FailureHold {
public:
    /// Both must outlive this; one thread.
    FailureHold(Cluster& cluster, tracking::Store& store) : m_cluster(cluster), m_store(store) {}

    /// Looks at the sweeps of runs that have just failed. Returns an alert for each sweep that was held, with
    /// the lines that the logs of its failed runs share. Throws `Error`, `SessionError`, `Cancelled`; then
    /// the same runs are to be looked at again.
    std::vector<alerts::Alert> look(const std::set<std::string>& failedRuns, std::stop_token stop = {});

private:
    std::vector<std::string> sharedLogLines(const std::vector<std::string>& runIds, std::stop_token stop);

    Cluster& m_cluster;
    tracking::Store& m_store;
};

}  // namespace dailies::remote
