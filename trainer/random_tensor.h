#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace dailies::trainer {

/// Independent standard normal numbers, float32 on the CPU: the same for a key on every machine and any
/// number of threads.
at::Tensor normalTensor(std::uint64_t key, at::IntArrayRef sizes);

}  // namespace dailies::trainer
