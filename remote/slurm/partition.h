#pragma once

#include <cstdint>
#include <string>

namespace dailies::remote::slurm {

struct Partition {
    std::string name = {};
    bool isDefault = false;
    bool up = true;
    std::string timeLimit = {};  ///< as Slurm prints it, "infinite" for none
    int nodes = 0;
    int cpusPerNode = 0;
    std::string gres = {};             ///< "gpu:h100:8", empty for none
    std::int64_t memoryPerNode = 0;    ///< MiB, of its largest nodes; 0: not known
    std::int64_t memoryPerCpu = 0;     ///< MiB that a job gets which asks for no memory; 0: no such rule
    std::int64_t memoryByDefault = 0;  ///< the same a node instead of a CPU
};

}  // namespace dailies::remote::slurm
