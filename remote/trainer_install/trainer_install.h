#pragma once

#include "remote/cluster/cluster.h"
#include "remote/trainer_install/source_bundle.h"

#include <string>

namespace dailies::remote {

/// A built `dailies-train` on the cluster.
struct InstalledTrainer {
    std::string hash;
    std::string program;  ///< absolute path of the binary on the cluster
};

/// The trainer's program; before it is installed, what its path in this workspace will look like.
inline std::string trainerPath(const std::string& workspace, const InstalledTrainer& trainer) {
    return trainer.program.empty() ? workspace + "/trainer/VERSION/build/bin/dailies-train" : trainer.program;
}

/// Makes sure that this trainer is built in <workspace>/trainer/<hash>: uploads the bundle, builds it there
/// as a Slurm job and waits; returns at once when it is there already. Two clients at once build it once.
/// When the build fails, throws `Error` with the compiler's first errors and the path of the whole log.
/// `own`: a sweep's environment over the profile's; where its software differs, it gets a trainer of its own,
/// in <workspace>/trainer/<hash>-<environment>.
InstalledTrainer ensureTrainer(Cluster& cluster, const SourceBundle& bundle, const Progress& progress = {},
                               std::stop_token stop = {}, const sweep::Environment& own = {});

}  // namespace dailies::remote
