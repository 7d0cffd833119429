#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace dailies::remote {

/// The trainer's sources as one archive, made from this checkout (or from the installed share folder):
/// CMakeLists.txt, core's trainer libraries, trainer/, and the nlohmann-json headers, so that a cluster needs
/// only a compiler, CMake and PyTorch.
struct SourceBundle {
    std::string
        hash;  ///< SHA-256 of the sorted file names and contents, first 16 hex digits: the trainer's version
    std::string
        tar;  ///< uncompressed ustar with sorted names and fixed times: the same sources give the same bytes
};

/// From $DAILIES_SOURCE, else the checkout that this program was built from. Throws `Error` naming a missing
/// part.
SourceBundle makeSourceBundle();

/// From relative paths and contents.
SourceBundle bundleFiles(const std::map<std::string, std::string>& files);

}  // namespace dailies::remote
