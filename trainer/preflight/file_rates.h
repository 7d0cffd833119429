#pragma once

#include <filesystem>

namespace dailies::trainer {

/// How fast a folder's file system takes what checkpoints and events write.
struct FileRates {
    double bytesPerSecond = 0;  ///< of one large file, flushed
    double filesPerSecond = 0;  ///< small ones: written, flushed, renamed
};

/// Writes for about a second into a folder of its own below `folder`, which is removed again. Throws `Error`
/// with the system's reason when the file system does not take it.
FileRates measureFiles(const std::filesystem::path& folder);

}  // namespace dailies::trainer
