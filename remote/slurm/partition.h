#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dailies::remote::slurm {

/// Nodes of a partition that are alike.
struct NodeKind {
    int nodes = 0;
    int cpus = 0;
    std::int64_t memory = 0;  ///< MiB
    std::string gres = {};    ///< "gpu:h100:8", empty for none
    std::vector<std::string> features = {};
};

struct Partition {
    std::string name = {};
    bool isDefault = false;
    bool up = true;
    std::string timeLimit = {};  ///< as Slurm prints it, "infinite" for none
    int nodes = 0;
    int cpusPerNode = 0;
    std::string gres = {};                  ///< "gpu:h100:8", empty for none
    std::int64_t memoryPerNode = 0;         ///< MiB, of its largest nodes; 0: not known
    std::int64_t defaultMemoryPerCpu = 0;   ///< MiB that a job gets which asks for no memory; 0: no such rule
    std::int64_t defaultMemoryPerNode = 0;  ///< the same a node instead of a CPU
    std::vector<NodeKind> kinds = {};
    int maxNodes = 0;                                                ///< of one job; 0: no such limit
    std::vector<std::string> allowedAccounts = {}, allowedQos = {};  ///< none: all
    std::vector<std::string> deniedAccounts = {}, deniedQos = {};
};

}  // namespace dailies::remote::slurm
