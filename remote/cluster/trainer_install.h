#pragma once

#include "remote/cluster/cluster.h"

#include <string>

namespace dailies::remote {

/// The trainer's sources as one archive, made from this checkout (or from the installed share folder): CMakeLists.txt, core's
/// trainer libraries, trainer/, and the nlohmann-json headers, so that a cluster needs only a compiler, CMake and PyTorch.
struct SourceBundle {
    std::string hash;  ///< SHA-256 of the sorted file names and contents, first 16 hex digits: the trainer's version
    std::string tar;   ///< uncompressed ustar with sorted names and fixed times: the same sources give the same bytes
};
SourceBundle makeSourceBundle();

/// A built `dailies-train` on the cluster.
struct InstalledTrainer {
    std::string hash;
    std::string program;  ///< absolute path of the binary on the cluster
};

/// Makes sure that this trainer is built in <workspace>/trainer/<hash>: uploads the bundle, builds it there as a Slurm job and
/// waits; returns at once when it is there already. Two clients at once build it once. When the build fails, throws `Error`
/// with the compiler's first errors and the path of the whole log.
InstalledTrainer ensureTrainer(Cluster& cluster, const SourceBundle& bundle, const Progress& progress = {},
                               std::stop_token stop = {});

}  // namespace dailies::remote
