#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace dailies::trainer {

/// "blocks.3" of the weight "blocks.3.qkv.weight"; empty for one outside the blocks.
std::string blockOf(const std::string& weight);

std::int64_t bytesOf(const at::Tensor& tensor);

/// Gives memory to a tensor that has none, and takes it away; views of the same storage come and go with it.
/// Operations that are queued on the current stream may still use what is taken.
void takeMemory(const at::Tensor& tensor);
void freeMemory(const at::Tensor& tensor);

}  // namespace dailies::trainer
