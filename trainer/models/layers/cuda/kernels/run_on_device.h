#pragma once

namespace dailies::trainer::kernels {

/// Queues a kernel on a CUDA stream (a cudaStream_t of the current device). Throws `Error` when CUDA refuses
/// the launch. Compiled by nvcc for the kernels that kernels.cu lists.
template <class Kernel>
void runOnDevice(const Kernel& kernel, void* stream);

}  // namespace dailies::trainer::kernels
