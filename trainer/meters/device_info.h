#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <optional>
#include <string>

namespace dailies::trainer {

/// "NVIDIA H200", "cpu".
std::string deviceName(at::Device device);

/// Dense bfloat16 operations a second that the maker states for a GPU of that name (without sparsity; half of
/// the figure that is printed with it), where this table has it: the denominator of MFU.
std::optional<double> peakFlops(const std::string& deviceName);

/// The most memory that this process has held so far, in bytes: of the GPU's allocator, else of the process.
std::int64_t peakMemory(at::Device device);

}  // namespace dailies::trainer
