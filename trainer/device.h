#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace dailies::trainer {

/// The device of runtime.device ("auto", "cpu", "cuda") for a rank of its node, made current. Throws
/// `InputError` when there is no such GPU.
at::Device chooseDevice(const std::string& wanted, std::int64_t localRank);

}  // namespace dailies::trainer
