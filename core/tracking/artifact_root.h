#pragma once

#include <filesystem>

namespace dailies::tracking {

/// The folder beside a store that holds its runs' mirrored files, one folder a run, laid out as the run
/// directory is. To MLflow it is the artifact location of every experiment, so what is mirrored there is a
/// run's artifact. Not created here.
inline std::filesystem::path artifactRoot(std::filesystem::path storeFile) {
    return storeFile += ".files";
}

}  // namespace dailies::tracking
