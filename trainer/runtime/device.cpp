#include "trainer/runtime/device.h"

#include "core/base/error.h"
#include "core/base/text.h"

#include <ATen/Context.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/types.h>

#ifdef DAILIES_CUDA
#include <ATen/cuda/CUDAContext.h>
#endif

namespace dailies::trainer {

namespace {

void preferCudnnAttention([[maybe_unused]] at::Device device) {
#ifdef DAILIES_CUDA
    if (at::cuda::getDeviceProperties(device.index())->major < 9) return;
    const auto number = [](at::SDPBackend backend) { return static_cast<std::int64_t>(backend); };
    at::globalContext().setSDPPriorityOrder(
        {number(at::SDPBackend::cudnn_attention), number(at::SDPBackend::flash_attention),
         number(at::SDPBackend::efficient_attention), number(at::SDPBackend::math)});
#endif
}

}  // namespace

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
    preferCudnnAttention(device);
    return device;
}

at::Tensor copyToDevice(const at::Tensor& host, at::Device device) {
    return device.is_cuda() ? host.pin_memory().to(device, /*non_blocking=*/true) : host.to(device);
}

std::string attentionOrder(at::Device device) {
    if (device.is_cpu()) return "flash, math";
    std::vector<std::string> names;
    for (const auto backend : at::globalContext().sDPPriorityOrder()) {
        if (backend == at::SDPBackend::cudnn_attention) names.emplace_back("cudnn");
        if (backend == at::SDPBackend::flash_attention) names.emplace_back("flash");
        if (backend == at::SDPBackend::efficient_attention) names.emplace_back("efficient");
        if (backend == at::SDPBackend::math) names.emplace_back("math");
    }
    return join(names, ", ");
}

}  // namespace dailies::trainer
