#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace dailies::trainer {

/// A safetensors file of tensors of any float type, float8 among them, and bytes.
void writeFloatFile(const std::filesystem::path& path,
                    const std::vector<std::pair<std::string, at::Tensor>>& tensors,
                    const std::map<std::string, std::string>& metadata = {});

}  // namespace dailies::trainer
