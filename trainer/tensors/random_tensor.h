#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace dailies::trainer {

/// Independent standard normal numbers, float32 on the CPU: elements `first`, `first + 1`, … of the key's
/// endless sequence, so that a rank that needs a part of a tensor draws just that part. Any number of threads
/// gives the same.
at::Tensor normalTensor(std::uint64_t key, at::IntArrayRef sizes, std::int64_t first = 0);

/// The same for numbers that are uniform in [-1, 1).
at::Tensor uniformTensor(std::uint64_t key, at::IntArrayRef sizes);

}  // namespace dailies::trainer
