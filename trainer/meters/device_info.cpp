#include "trainer/meters/device_info.h"

#include <cstdlib>
#include <fstream>

#ifdef DAILIES_CUDA
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDACachingAllocator.h>
#endif

namespace dailies::trainer {

namespace {

struct Peak {
    const char* name;  ///< part of what the driver calls the device; more special names first
    double flops;
};

// NVIDIA's data sheets, dense bf16 tensor cores
constexpr Peak kPeaks[] = {
    {"B300", 2250e12}, {"B200", 2250e12},      {"H100 PCIe", 756e12},  {"H100 NVL", 835e12}, {"H100", 989e12},
    {"GH200", 989e12}, {"H200", 989e12},       {"H800", 989e12},       {"H20", 148e12},      {"A100", 312e12},
    {"A800", 312e12},  {"L40S", 362e12},       {"L40", 181e12},        {"A40", 149.7e12},    {"A10G", 70e12},
    {"A10", 125e12},   {"RTX 5090", 209.5e12}, {"RTX 4090", 165.2e12},
};

}  // namespace

std::string deviceName(at::Device device) {
#ifdef DAILIES_CUDA
    if (device.is_cuda()) return at::cuda::getDeviceProperties(device.index())->name;
#endif
    return c10::DeviceTypeName(device.type(), /*lower_case=*/true);
}

std::optional<double> peakFlops(const std::string& deviceName) {
    for (const auto& peak : kPeaks)
        if (deviceName.find(peak.name) != std::string::npos) return peak.flops;
    return std::nullopt;
}

std::int64_t peakMemory(at::Device device) {
#ifdef DAILIES_CUDA
    if (device.is_cuda()) {
        const auto stats = c10::cuda::CUDACachingAllocator::getDeviceStats(device.index());
        return stats.allocated_bytes[0].peak;
    }
#else
    static_cast<void>(device);
#endif
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmHWM:")) return std::strtoll(line.c_str() + 6, nullptr, 10) * 1024;
    return 0;
}

}  // namespace dailies::trainer
