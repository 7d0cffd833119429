#pragma once

#include "remote/cluster/cluster.h"

#include <stop_token>
#include <string>

namespace dailies::remote {

/// Runs a script that writes into the workspace. Where it fails, throws `Error` that begins with `failure`
/// ("The code could not be put") and goes on with the cluster and what the script said.
void runInWorkspace(Cluster& cluster, const std::string& failure, const std::string& script,
                    std::stop_token stop = {});

}  // namespace dailies::remote
