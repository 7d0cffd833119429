#include "trainer/device.h"

#include "core/base/error.h"

#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/types.h>

namespace dailies::trainer {

at::Device chooseDevice(const std::string& wanted, std::int64_t localRank) {
    const auto* cuda = c10::impl::device_guard_impl_registry[static_cast<std::size_t>(at::kCUDA)].load();
    const std::int64_t gpus = cuda ? cuda->deviceCount() : 0;
    if (wanted == "cpu" || (wanted == "auto" && gpus == 0)) return at::kCPU;
    // Slurm may show each task its own GPU only; then every task's is number 0.
    const auto index = gpus == 1 ? 0 : localRank;
    if (index >= gpus)
        throw InputError(
            "runtime.device: found \"" + wanted + "\" for process " + std::to_string(localRank) +
                " of its node, but this machine shows " + std::to_string(gpus) + " GPUs.",
            gpus == 0 ? "Ask Slurm for a GPU, install a CUDA build of PyTorch, or set runtime.device to cpu."
                      : "Start at most one process for each GPU.");
    const at::Device device(at::kCUDA, static_cast<c10::DeviceIndex>(index));
    cuda->setDevice(device);
    return device;
}

}  // namespace dailies::trainer
