#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dailies::remote::slurm {

/// What Slurm's words for a node's state come to, from "takes jobs" to "of no use".
enum class NodeCondition {
    Idle,
    Mixed,  ///< some of it is allocated
    Allocated,
    Completing,   ///< jobs on it are ending
    Reserved,     ///< for a reservation, or for a job that will start there (PLANNED)
    PoweredDown,  ///< switched off to save power, or being switched on or off; Slurm starts it when needed
    Draining,     ///< takes no new jobs; those on it go on
    Drained,      ///< out of service, nothing runs on it
    Down,         ///< does not answer, failed, or was taken out
    Unknown,
};
inline constexpr int kNodeConditions = 10;

/// "idle", "draining", …
std::string_view toText(NodeCondition condition);

/// Of any of Slurm's ways to say it: "IDLE", "MIXED+DRAIN", "IDLE*", "drng@", "down~", "MIXED+PLANNED",
/// "ALLOCATED+COMPLETING".
NodeCondition nodeCondition(std::string_view state);

/// Whether jobs can run there, now or soon.
bool isUp(NodeCondition condition);

struct Node {
    std::string name;
    NodeCondition condition = NodeCondition::Unknown;
    std::string state;            ///< Slurm's own words: "MIXED+DRAIN"
    std::string reason;           ///< why it is down or drained; "" for no reason
    std::string reasonBy;         ///< who said so
    std::int64_t reasonTime = 0;  ///< unix seconds; 0: not known
    int cpus = 0, cpusAllocated = 0;
    double load = 0;                                               ///< as `uptime` has it
    std::int64_t memory = 0, memoryAllocated = 0, memoryFree = 0;  ///< MiB; free: by the node's own account
    int gpus = 0, gpusAllocated = 0;
    std::string gres;      ///< "gpu:h100:8"
    std::string features;  ///< "a100,ib"
    std::vector<std::string> partitions;
};

/// The lines of `scontrol -d -o show node`, of any release from 20.11 on. What does not begin as a node does
/// is left out.
std::vector<Node> parseNodes(std::string_view out);

/// "Takes no new jobs; those on it go on. Disk errors (root)." — its state for a person.
std::string explain(const Node& node);

}  // namespace dailies::remote::slurm
