#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace dailies::trainer {

/// Which process of how many this is, and where they meet.
struct DistEnv {
    std::int64_t rank = 0;
    std::int64_t size = 1;
    std::int64_t localRank = 0;  ///< on its node: the GPU to use
    std::string address;         ///< host of rank 0; empty for a single process
    std::uint16_t port = 0;
    std::chrono::seconds patience = std::chrono::minutes(5);  ///< with ranks that start later
    std::string note;  ///< something odd about the launch that a person should read; usually empty

    bool isRank0() const { return rank == 0; }
};

using Environment = std::function<const char*(const char* name)>;

/// Reads the launcher's environment: RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR and MASTER_PORT (torchrun's
/// names) win; else the variables of an srun step, with rank 0's node and a port made from the job id; else
/// one process. A batch script that runs the trainer without srun is one process however many tasks its job
/// has. Throws `InputError` for values that make no sense.
DistEnv distEnvFrom(const Environment& environment);

/// "node[07-09,12],gpu1" → "node07".
std::string firstHost(const std::string& nodeList);

}  // namespace dailies::trainer
