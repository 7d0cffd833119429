#pragma once

#include "app/terminal/terminal_prompter.h"
#include "core/tracking/store.h"
#include "remote/cluster/cluster.h"
#include "remote/service/follow_service.h"

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace dailies::app {

/// Where the command line keeps the clusters: `--clusters` does not exist, so scripts set XDG_CONFIG_HOME.
remote::ClusterProfiles loadProfiles();

/// The cluster named on the command line; with no name, the only one there is. Throws `InputError` otherwise.
remote::ClusterProfile chooseProfile(const std::string& name);

/// A line of progress, on standard error.
void say(const std::string& line);
/// What sweeps decided in a round of following.
void sayDecisions(const remote::FollowReport& report);

/// Connects with progress on standard error.
std::unique_ptr<remote::Cluster> connect(const remote::ClusterProfile& profile, std::stop_token stop);

/// The cluster that the run is on, connected. Throws `InputError` for a run that is on none.
std::unique_ptr<remote::Cluster> connectToClusterOf(const tracking::Store& store, const std::string& runId,
                                                    std::stop_token stop);

/// Resolves what a person typed (id, its beginning, or a name) to one run id; throws `InputError` when none
/// or several match.
std::string resolveRunId(const tracking::Store& store, const std::string& idOrName);

/// Follows as `task` asks, over `cluster` where it is connected already, with progress on standard error.
void follow(const remote::ClusterProfile& profile, std::unique_ptr<remote::Cluster> cluster,
            tracking::Store& store, remote::FollowTask task, std::stop_token stop);

/// Follows until none of these runs is active. `seen`, where it is given, is called after each round.
void followToEnd(const remote::ClusterProfile& profile, std::unique_ptr<remote::Cluster> cluster,
                 tracking::Store& store, const std::vector<std::string>& runIds, std::stop_token stop,
                 const std::function<void()>& seen = {});

/// Whether all of these runs finished; says of the others why they did not.
bool sayUnfinished(const tracking::Store& store, const std::vector<std::string>& runIds);

}  // namespace dailies::app
