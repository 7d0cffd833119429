#pragma once

#include "core/sweep/program.h"
#include "remote/cluster/cluster.h"

#include <filesystem>
#include <stop_token>
#include <string>

namespace dailies::remote {

/// Brings the code of a folder of this machine into <workspace>/code/<hash of its content>, once: the same
/// code is there already. Beside it lies <hash>.diff, what differs from the commit. Returns where it is.
/// `program`: its name, for the progress. Throws as `readCodeTree` does, and `Error`.
sweep::Code uploadCode(Cluster& cluster, const std::string& program, const std::filesystem::path& folder,
                       const Progress& progress = {}, std::stop_token stop = {});

}  // namespace dailies::remote
