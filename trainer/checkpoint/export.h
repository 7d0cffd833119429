#pragma once

#include "trainer/tensors/params.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace dailies::trainer {

/// Hugging Face's limit for one file of weights.
constexpr std::uint64_t kExportShardBytes = 5'000'000'000;

/// Writes tensors as Python's libraries look for them in a folder: STEM.safetensors, or, where they take more
/// than `shardBytes`, STEM-00001-of-0000N.safetensors with STEM.safetensors.index.json. Throws `Error` when
/// the disk refuses. Each file carries `metadata`.
void exportTensors(const std::filesystem::path& folder, const std::string& stem, const Params& tensors,
                   std::uint64_t shardBytes = kExportShardBytes,
                   const std::map<std::string, std::string>& metadata = {});

}  // namespace dailies::trainer
