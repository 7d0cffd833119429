#pragma once

#include "core/preflight/report.h"

#include <string>
#include <string_view>
#include <vector>

namespace dailies::trainer {

/// What the driver says of a node's GPUs, without CUDA.
struct GpuInfo {
    std::vector<preflight::Gpu> gpus;
    std::vector<int>
        xids;          ///< error numbers in the kernel's log of the last day; none where it is not readable
    std::string note;  ///< why something is not known, for a person
};

/// Asks nvidia-smi and the kernel's log; takes seconds at most.
GpuInfo gpuInfo();

/// The lines of `nvidia-smi --query-gpu=` name, temperature, clock, highest clock, uncorrectable errors, as
/// csv without header and units. What a GPU does not tell ("[N/A]") is 0.
std::vector<preflight::Gpu> parseGpus(std::string_view csv);

/// The numbers of "NVRM: Xid (PCI:…): 79, …" in lines of dmesg that are at most a day older than `uptime`
/// (seconds since the start of the machine).
std::vector<int> parseXids(std::string_view log, double uptime);

}  // namespace dailies::trainer
