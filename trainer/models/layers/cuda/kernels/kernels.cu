#include "core/base/error.h"
#include "trainer/models/layers/cuda/kernels/device_team.cuh"
#include "trainer/models/layers/cuda/kernels/fused_residual_adaln.h"
#include "trainer/models/layers/cuda/kernels/norm_rope.h"
#include "trainer/models/layers/cuda/kernels/run_on_device.h"

#include <cuda_runtime.h>
#include <string>

namespace dailies::trainer::kernels {

namespace {

constexpr int kWarp = 32, kThreads = 256;

/// A block a piece. Fewer threads at most leave more registers for each.
template <class Kernel, int kMaxThreads>
__global__ void __launch_bounds__(kMaxThreads) onBlocks(const Kernel kernel) {
    DeviceTeam<0> team(kernel.width(), kernel.headWidth(), Kernel::kPairs);
    kernel.run(team, blockIdx.x);
}

/// `kLanes` lanes a piece. The last warp does the last piece several times, with the same result, because the
/// lanes of a warp sum together.
template <class Kernel, int kLanes>
__global__ void __launch_bounds__(kThreads) onLanes(const Kernel kernel) {
    DeviceTeam<kLanes> team(kernel.width(), kernel.headWidth(), Kernel::kPairs);
    const auto piece = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / kLanes;
    const auto last = kernel.pieces() - 1;
    kernel.run(team, piece < last ? piece : last);
}

template <class Kernel, int kLanes>
void launchOnLanes(const Kernel& kernel, cudaStream_t stream) {
    const auto blocks = (kernel.pieces() * kLanes + kThreads - 1) / kThreads;
    onLanes<Kernel, kLanes><<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(kernel);
}

}  // namespace

template <class Kernel>
void runOnDevice(const Kernel& kernel, void* queue) {
    if (kernel.pieces() == 0) return;
    auto* stream = static_cast<cudaStream_t>(queue);
    const int columns = Kernel::kPairs ? kernel.width() / 2 : kernel.width();
    const int members = (columns + kPack - 1) / kPack;
    if (!Kernel::kPairs || members > kWarp) {
        const int threads = (members + kWarp - 1) / kWarp * kWarp;
        const auto blocks = static_cast<unsigned>(kernel.pieces());
        if (threads <= kMaxWidth / kPack / 2)
            onBlocks<Kernel, kMaxWidth / kPack / 2><<<blocks, threads, 0, stream>>>(kernel);
        else if constexpr (!Kernel::kPairs)  // pairs are two packs a thread
            onBlocks<Kernel, kMaxWidth / kPack><<<blocks, threads, 0, stream>>>(kernel);
    } else if constexpr (Kernel::kPairs) {
        if (members > 16)
            launchOnLanes<Kernel, 32>(kernel, stream);
        else if (members > 8)
            launchOnLanes<Kernel, 16>(kernel, stream);
        else if (members > 4)
            launchOnLanes<Kernel, 8>(kernel, stream);
        else if (members > 2)
            launchOnLanes<Kernel, 4>(kernel, stream);
        else if (members > 1)
            launchOnLanes<Kernel, 2>(kernel, stream);
        else
            launchOnLanes<Kernel, 1>(kernel, stream);
    }
    if (const auto status = cudaGetLastError(); status != cudaSuccess)
        throw Error(std::string("CUDA did not start a fused kernel: ") + cudaGetErrorString(status) + ".");
}

using c10::BFloat16;

template void runOnDevice(const FusedResidualAdaLn<float, float>&, void*);
template void runOnDevice(const FusedResidualAdaLn<float, BFloat16>&, void*);
template void runOnDevice(const FusedResidualAdaLn<BFloat16, float>&, void*);
template void runOnDevice(const FusedResidualAdaLn<BFloat16, BFloat16>&, void*);
template void runOnDevice(const FusedResidualAdaLnBackward<float, float>&, void*);
template void runOnDevice(const FusedResidualAdaLnBackward<float, BFloat16>&, void*);
template void runOnDevice(const FusedResidualAdaLnBackward<BFloat16, float>&, void*);
template void runOnDevice(const FusedResidualAdaLnBackward<BFloat16, BFloat16>&, void*);
template void runOnDevice(const NormRope<float>&, void*);
template void runOnDevice(const NormRope<BFloat16>&, void*);
template void runOnDevice(const NormRopeBackward<float>&, void*);
template void runOnDevice(const NormRopeBackward<BFloat16>&, void*);

}  // namespace dailies::trainer::kernels
