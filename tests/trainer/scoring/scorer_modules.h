#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace dailies::trainer {

/// Saves a TorchScript module with these methods, written as in Python: "def forward(self, frames): …".
void saveModule(const std::filesystem::path& file, const std::vector<std::string>& methods);

/// Brightness as a scorer: the mean of all bytes.
inline const std::string kBrightness =
    "def forward(self, frames):\n"
    "    return frames.float().mean()\n";

/// The mean of each colour as features.
inline const std::string kColours =
    "def features(self, frames):\n"
    "    return frames.float().mean([0, 2, 3])\n";

}  // namespace dailies::trainer
