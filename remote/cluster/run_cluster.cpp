#include "remote/cluster/run_cluster.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/tracking/run_tags.h"

namespace dailies::remote {

namespace {

void requireConnected(const Cluster* connected, const std::string& what, const std::string& cluster) {
    if (connected && connected->profile().name == cluster) return;
    const auto name = "cluster '" + sanitizedText(cluster) + "'";
    throw InputError(what + " is on " + name + ", which is not connected.",
                     "Connect to " + name + ", then try again.");
}

std::string called(const tracking::Run& run) {
    return "Run '" + sanitizedText(run.name) + "'";
}

}  // namespace

std::string clusterOf(const tracking::Run& run) {
    if (auto cluster = tagOf(run, tracking::tag::kCluster); !cluster.empty()) return cluster;
    throw InputError(called(run) + " was not launched by Dailies, so it is on no cluster.",
                     "Choose a run that Dailies launched, or launch a sweep file of your own.");
}

void requireConnected(const Cluster* connected, const tracking::Run& run) {
    requireConnected(connected, called(run), clusterOf(run));
}

void requireConnected(const Cluster* connected, const tracking::SweepRecord& sweep) {
    requireConnected(connected, "Sweep '" + sanitizedText(sweep.name) + "'", sweep.cluster);
}

}  // namespace dailies::remote
