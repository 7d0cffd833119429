#pragma once

#include "remote/cluster/cluster.h"
#include "remote/cluster/source_bundle.h"

#include <string>

namespace dailies::remote {

/// A built `dailies-train` on the cluster.
struct InstalledTrainer {
    std::string hash;
    std::string program;  ///< absolute path of the binary on the cluster
};

/// Makes sure that this trainer is built in <workspace>/trainer/<hash>: uploads the bundle, builds it there
/// as a Slurm job and waits; returns at once when it is there already. Two clients at once build it once.
/// When the build fails, throws `Error` with the compiler's first errors and the path of the whole log.
InstalledTrainer ensureTrainer(Cluster& cluster, const SourceBundle& bundle, const Progress& progress = {},
                               std::stop_token stop = {});

}  // namespace dailies::remote
