#include "trainer/parallel/backend.h"

#include "core/base/error.h"

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>
#if defined(DAILIES_GLOO)
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#endif
#if defined(DAILIES_NCCL)
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#endif

namespace dailies::trainer {

namespace {

#if defined(DAILIES_GLOO)
constexpr bool kHasGloo = true;

c10::intrusive_ptr<c10d::Backend> connectGloo(const c10::intrusive_ptr<c10d::Store>& store, int rank,
                                              int size, const std::string& address,
                                              std::chrono::milliseconds maxWait) {
    const auto options = c10d::ProcessGroupGloo::Options::create(maxWait);
    options->devices.push_back(address == "127.0.0.1" || address == "localhost"
                                   ? c10d::ProcessGroupGloo::createDeviceForHostname("127.0.0.1")
                                   : c10d::ProcessGroupGloo::createDefaultDevice());
    return c10::make_intrusive<c10d::ProcessGroupGloo>(store, rank, size, options);
}
#else
constexpr bool kHasGloo = false;
#endif

#if defined(DAILIES_NCCL)
constexpr bool kHasNccl = true;

c10::intrusive_ptr<c10d::Backend> connectNccl(const c10::intrusive_ptr<c10d::Store>& store, int rank,
                                              int size, std::chrono::milliseconds maxWait) {
    // what others wait for goes ahead of the next layer's kernels
    const auto options = c10d::ProcessGroupNCCL::Options::create(/*is_high_priority_stream=*/true);
    options->timeout = maxWait;
    return c10::make_intrusive<c10d::ProcessGroupNCCL>(store, rank, size, options);
}
#else
constexpr bool kHasNccl = false;
#endif

}  // namespace

bool hasBackend(at::Device device) {
    return device.is_cuda() ? kHasNccl : kHasGloo;
}

c10::intrusive_ptr<c10d::Backend> connectBackend(
    [[maybe_unused]] const c10::intrusive_ptr<c10d::Store>& store, [[maybe_unused]] int rank, int size,
    [[maybe_unused]] const std::string& address, at::Device device,
    [[maybe_unused]] std::chrono::milliseconds maxWait) {
#if defined(DAILIES_NCCL)
    if (device.is_cuda()) return connectNccl(store, rank, size, maxWait);
#endif
#if defined(DAILIES_GLOO)
    if (device.is_cpu()) return connectGloo(store, rank, size, address, maxWait);
#endif
    const std::string name = device.is_cuda() ? "NCCL" : "Gloo", where = device.is_cuda() ? "GPUs" : "CPUs";
    throw InputError("This dailies-train was built without " + name + " and cannot run " +
                         std::to_string(size) + " processes on " + where + ".",
                     (device.is_cuda() ? "Build it with a CUDA build of PyTorch"
                                       : "Install libgloo-dev and build it again") +
                         std::string(", or ask for one task."));
}

}  // namespace dailies::trainer
