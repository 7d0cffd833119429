#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dailies::remote::slurm {

struct GpuUsage {
    int index = 0;
    std::string name;                              ///< "NVIDIA H100 80GB HBM3"
    double busy = 0;                               ///< 0 to 1, of the last moment
    std::int64_t memoryUsed = 0, memoryTotal = 0;  ///< MiB
    double watts = 0;
    double celsius = 0;
};

/// What a job uses of one of its nodes.
struct NodeUsage {
    std::string node;
    double cpus = 0;          ///< cores kept busy by its processes
    int cpusGiven = 0;        ///< that Slurm gave it there; 0: not known
    std::int64_t memory = 0;  ///< MiB resident, of its processes
    int processes = 0;
    std::vector<GpuUsage> gpus;  ///< those that it may use; none where nvidia-smi is not
};

/// A POSIX shell script that measures for a second by `srun --overlap` inside of the job (from Slurm 20.11
/// on). `job`: "12", "12_3" or "21+0".
std::string usageScript(const std::string& job);

/// What that script printed.
std::vector<NodeUsage> parseUsage(std::string_view out);

}  // namespace dailies::remote::slurm
