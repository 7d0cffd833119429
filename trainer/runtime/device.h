#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace dailies::trainer {

/// The device of runtime.device ("auto", "cpu", "cuda") for a rank of its node, made current. On GPUs of the
/// Hopper generation and later attention will try cuDNN first, whose kernels are about half again as fast
/// there as those of FlashAttention 2, PyTorch's first choice. Throws `InputError` when there is no such GPU.
at::Device chooseDevice(const std::string& wanted, std::int64_t localRank);

/// A copy of a host's tensor on the device. On GPUs it goes by way of pinned memory and is only queued: the
/// host waits for nothing.
at::Tensor copyToDevice(const at::Tensor& host, at::Device device);

/// The kernels that attention tries on the device, in order, for the log: "cudnn, flash, efficient, math".
std::string attentionOrder(at::Device device);

}  // namespace dailies::trainer
