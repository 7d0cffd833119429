#include "core/planner/machine_rates.h"

#include "core/base/text.h"

#include <algorithm>
#include <cctype>

namespace dailies::planner {

namespace {

struct GpuRates {
    const char* name;        ///< part of what Slurm or the driver calls it, in lower case
    double peak, peakFloat;  ///< dense tensor operations in bfloat16, and in float32 by its usual products
    double products;         ///< that cuBLAS reaches in bfloat16
    double attentionForward, attentionBackward;
    double memoryBytes;
    double intraNodeBandwidth, interNodeBandwidth;
};

// Peaks: NVIDIA's data sheets. Products and memory: what large ones reach of it under power limits, about
// 0.7 and 0.87. Attention: cuDNN's published rates at 8,192 keys, heads of 128, brought to endless rows; for
// A100, FlashAttention-2's (Dao 2023, arXiv 2307.08691). Inside: NCCL's bus rate over NVLink, 0.78 of it.
// Between: 0.84 of a 400 Gb/s adapter a GPU, 200 Gb/s for A100.
constexpr GpuRates kGpus[] = {
    {"h200", 989e12, 67e12, 700e12, 622e12, 544e12, 4.2e12, 350e9, 42e9},
    {"h100", 989e12, 67e12, 700e12, 622e12, 544e12, 2.9e12, 350e9, 42e9},
    {"a100", 312e12, 19.5e12, 250e12, 227e12, 200e12, 1.75e12, 235e9, 21e9},
};

constexpr double kHalfRateKeys = 300, kHalfRateKeysBackward = 420;  // FlashAttention-3's figure 5 and 6
constexpr double kLatencyInside = 10e-6, kLatencyBetween = 20e-6, kLaunchSeconds = 4e-6;

/// Of its kernels' rates, what a step of NeMo's DiT 7B reached (tests/core/planner/speed_test.cpp): clocks
/// fall when all of a GPU is busy, and kernels wait for each other.
constexpr double kOfWholeStep = 0.9;

// One CPU rank: attention by LibTorch's operations against its own products, and a share of its node's
// memory.
constexpr double kCpuMixingShare = 0.5, kCpuMemoryBytes = 8e9, kCpuLink = 2e9, kCpuLatency = 50e-6;

std::optional<double> medianOf(const preflight::Report& report, const std::string& figure) {
    const auto values = report.values(figure);
    if (values.empty()) return std::nullopt;
    return preflight::median(values);
}

MachineRates cpuRates(double products) {
    return {.name = "cpu",
            .gpu = false,
            .products = products,
            .attentionForward = kCpuMixingShare * products,
            .attentionBackward = kCpuMixingShare * products,
            .memoryBytes = kCpuMemoryBytes,
            .intraNodeBandwidth = kCpuLink,
            .interNodeBandwidth = kCpuLink,
            .intraNodeLatency = kCpuLatency,
            .interNodeLatency = kCpuLatency};
}

/// Ranks of a node that sent at once while links between nodes were measured.
double ranksOfNode(const preflight::Report& report) {
    return std::max(
        1.0, static_cast<double>(report.ranks) / std::max(1.0, static_cast<double>(report.nodes.size())));
}

}  // namespace

MachineRates MachineRates::faster(double times) const {
    auto rates = *this;
    for (auto* rate :
         {&rates.products, &rates.attentionForward, &rates.attentionBackward, &rates.memoryBytes})
        *rate *= times;
    return rates;
}

std::optional<MachineRates> publishedRates(const std::string& gpuName, bool bfloat16) {
    const std::string lower = lowered(gpuName);
    for (const auto& gpu : kGpus) {
        if (lower.find(gpu.name) == std::string::npos) continue;
        // float32 is multiplied without tensor cores, at nearly its peak, and attended to at a third of it
        const double products = bfloat16 ? gpu.products : 0.8 * gpu.peakFloat;
        MachineRates rates{.name = gpu.name,
                           .peak = bfloat16 ? gpu.peak : gpu.peakFloat,
                           .products = products,
                           .attentionForward = bfloat16 ? gpu.attentionForward : products / 3,
                           .attentionBackward = bfloat16 ? gpu.attentionBackward : products / 3,
                           .halfRateKeys = kHalfRateKeys,
                           .halfRateKeysBackward = kHalfRateKeysBackward,
                           .memoryBytes = gpu.memoryBytes,
                           .intraNodeBandwidth = gpu.intraNodeBandwidth,
                           .interNodeBandwidth = gpu.interNodeBandwidth,
                           .intraNodeLatency = kLatencyInside,
                           .interNodeLatency = kLatencyBetween,
                           .launchSeconds = kLaunchSeconds,
                           .source = std::string("published rates of ") + gpu.name};
        return rates.faster(kOfWholeStep);
    }
    return std::nullopt;
}

std::optional<MachineRates> measuredRates(const std::optional<MachineRates>& published,
                                          const preflight::Report& report) {
    const auto products = medianOf(report, "flops");
    const bool onGpus = report.device != "cpu";
    if (!products || *products <= 0 || (published && published->gpu != onGpus) || (!published && onGpus))
        return std::nullopt;
    auto rates = published ? *published : cpuRates(*products);
    if (published) {
        const double times = kOfWholeStep * *products / rates.products;
        rates.products *= times;
        rates.attentionForward *= times;
        rates.attentionBackward *= times;
    }
    if (const auto link = medianOf(report, "link"); link && *link > 0)
        rates.interNodeBandwidth = *link / ranksOfNode(report);
    if (const auto there = medianOf(report, "latency"); there && *there > 0)
        rates.interNodeLatency = *there / 2;
    rates.source = "what a preflight measured";
    return rates;
}

}  // namespace dailies::planner
